"""What each kind of personal value looks like, as data, check digits and compiled patterns.

Private: import from `piiscan` and its façades, not from here.
"""
