"""Removes identifiers, anonymises the rest and adds a private summary, in one pass.

Private: import from `piiscan` and its façades, not from here.
"""
