"""Measures of re-identification risk."""
