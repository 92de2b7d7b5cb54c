"""Summaries: everything a verdict needs from the cells, as an exact commutative monoid.

Every class here holds only integers, strings, and tuples or maps of those; has an `empty()`; and adds with `+`, so that
`summarise(a ++ b) == summarise(a) + summarise(b)` for every cut, order and grouping of rows. `tests/test_summary_laws.py`
holds them to it. Summaries carry cell values: they are secret, have no serialiser to a report, and a terse `repr`.
"""

from piiscan.summary.column import ColumnSummary
from piiscan.summary.hits import Hits, RuleHits
from piiscan.summary.sample import RowSample, Sample
from piiscan.summary.table import TableSummary

__all__ = ["ColumnSummary", "Hits", "RowSample", "RuleHits", "Sample", "TableSummary"]
