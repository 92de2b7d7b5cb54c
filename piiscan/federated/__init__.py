"""Computes models and summaries over several sites, of whose rows only masked sums leave.

Private: the command `piiscan federated` is the interface.
"""
