"""Counts exactly what cells contain: every rule on every cell.

Private: import from `piiscan` and its façades, not from here.
"""
