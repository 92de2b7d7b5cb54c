"""How much memory synthetic rows will take.

It is a function of public facts, never of the data, so an error about it discloses nothing about anyone. Measured by
`benchmarks.peaks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from piiscan.core import memory

_COMBINATION: Final = 45
"""Bytes of a combination of two columns' values: exact counts, noise, distribution."""
_CELL: Final = 22
"""Bytes of a cell that is drawn: its code, its value, and how it is written."""
_ROW: Final = 60


def demand_counts(sizes: Sequence[int]) -> None:
    """Check that the memory suffices before pairs of columns with so many codes are counted. Raises `UsageError`."""
    cells = sum(a * b for a, b in combinations(sizes, 2))
    memory.demand(
        cells * _COMBINATION,
        f"counting {cells:,} combinations of two columns' values",
        "name fewer columns with --columns, or declare fewer bins or categories",
    )


def demand_rows(rows: int, columns: int) -> None:
    """Check that the memory suffices before rows are drawn. Raises `UsageError`."""
    memory.demand(
        rows * (columns * _CELL + _ROW),
        f"drawing {rows:,} rows of {columns} columns",
        "ask for fewer rows with --rows (drawing from a release that is already paid for is free)",
    )
