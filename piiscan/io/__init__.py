"""Reads tables from files, streams and data frames, and writes them back in their own formats.

Private: import from `piiscan` and its façades, not from here.
"""
