"""Summaries: everything a verdict needs from the cells, as an exact commutative monoid.

Every class here holds only integers, strings, and tuples or maps of those; has an `empty()`; and adds with `+`, so that
`summarise(a ++ b) == summarise(a) + summarise(b)` for every cut, order and grouping of rows.
`tests/test_summary_laws.py` holds them to it. Summaries carry cell values: they are secret, have no serialiser to a
report, and a terse `repr`.
"""
