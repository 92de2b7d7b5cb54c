"""Parquet and Arrow IPC files."""
