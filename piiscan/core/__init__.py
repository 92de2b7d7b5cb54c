"""What every room uses: types, entities, errors, keys, the version.

Private: import from `piiscan` and its façades, not from here.
"""
