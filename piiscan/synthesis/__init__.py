"""Draws synthetic rows with differential privacy, and measures how good they are.

Private: import from `piiscan` and its façades, not from here.
"""
