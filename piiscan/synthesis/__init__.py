"""Synthetic rows with differential privacy: noisy tables of one and two columns, a distribution that agrees with them, rows drawn from it.

Nothing here reads a file. Exact tables come in, and only `measuring` sees them; everything after it works on what was released.
"""
