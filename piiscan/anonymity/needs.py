"""How much memory a search will take, estimated from what the first pass counted.

Measured by `benchmarks.peaks`; an estimate should exceed the real need by less than half.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.core import memory

_LEVEL: Final = 16
"""Bytes of a combination for each level of a column: its label and its loss."""
_COLUMN: Final = 280
"""… for each quasi-identifier: what is searched, published and counted again."""
_OTHER: Final = 100
"""… for each other column that is counted."""
_COUNTED: Final = 60
"""… for each column, while the table is counted."""
_ROW: Final = 60
"""Bytes of a row, for the hashes of what stays as it is."""
CELL: Final = 60
"""Bytes of a cell of a table that is held in memory with what is published of it, its text apart."""
INSTEAD: Final = (
    "declare fewer columns, coarsen quasi-identifiers with very many values beforehand (dates to months, numbers "
    "to bins, codes to their first digits), or leave rows out"
)


def demand_counts(entries: int, columns: int) -> None:
    """Check that the memory suffices before the number of distinct combinations grows. Raises `UsageError`."""
    memory.demand(entries * columns * _COUNTED, f"counting {entries:,} or more different combinations", INSTEAD)


def demand_search(entries: int, rows: int, quasi: Iterable[Hierarchy], others: int) -> None:
    """Check that the memory suffices for a search. Raises `UsageError`.

    `others`: columns that are counted besides the quasi-identifiers.
    """
    trees = list(quasi)
    each = sum(tree.levels for tree in trees) * _LEVEL + len(trees) * _COLUMN + others * _OTHER
    memory.demand(
        entries * each + rows * _ROW,
        f"searching {entries:,} different combinations of {len(trees)} quasi-identifiers in {rows:,} rows",
        INSTEAD,
    )


def demand_cells(rows: int, columns: int, texts: int, doing: str) -> None:
    """Check that the memory suffices for holding cells. Raises `UsageError`.

    `texts`: bytes of the long ones.
    """
    memory.demand(rows * columns * CELL + 2 * texts, f"{doing} {rows:,} rows of {columns} columns", INSTEAD)
