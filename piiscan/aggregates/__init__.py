"""Publishes figures of groups of rows, with disclosure control.

Private: import from `piiscan` and its façades, not from here.
"""
