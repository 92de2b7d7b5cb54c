"""Differential privacy: what may be asked of a table, exact integers that answer it, noise from OpenDP, and the ledger that counts what was spent.

Nothing here reads a file. Neighbouring tables differ by all rows of one unit (a person), added or removed.
"""
