"""Models from noisy sums: rows as vectors of small integers, sensitivities, and what is computed afterwards.

Nothing here reads a file. Everything that depends on the data is an exact integer until noise is added to it.
"""
