"""Differentially private summaries and models, and the ledger of what they cost.

Private: import from `piiscan` and its façades, not from here.
"""
