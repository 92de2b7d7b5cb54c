"""Measures re-identification risk, and makes tables k-anonymous.

Private: import from `piiscan` and its façades, not from here.
"""
