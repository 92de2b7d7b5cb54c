"""Figures of re-identification risk."""
