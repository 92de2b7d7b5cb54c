"""Plans what happens to each column, applies the plan, and verifies the output.

Private: import from `piiscan` and its façades, not from here.
"""
