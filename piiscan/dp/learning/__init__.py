"""Models from noisy sums: rows as vectors of small integers, how far one of them moves each sum, and what a model is
made of afterwards.

Nothing here reads a file. Whatever depends on the data is an exact integer until noise is drawn for it.
"""
