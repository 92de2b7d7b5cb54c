"""Decides what each column is, and whether it identifies a person here.

Private: import from `piiscan` and its façades, not from here.
"""
