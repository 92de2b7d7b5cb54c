"""How much memory synthetic rows will take.

It is a function of public facts, never of the data, so an error about it discloses nothing about anyone. Measured by
`benchmarks.peaks`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from piiscan.core import memory

_COMBINATION: Final = 45
"""Bytes of a combination of several columns' values: exact counts, noise, distribution."""
_CELL: Final = 22
"""Bytes of a cell that is drawn: its code, its value, and how it is written."""
_ROW: Final = 60
_CODE: Final = 4
"""Bytes of a cell that is held, with those of the same cell while batches are joined; most have one byte each."""
_STEP: Final = 20
"""Bytes of a cell of a column with private bins, with its ordered copy and its bin."""


def demand_counts(sizes: Sequence[int], scopes: Iterable[tuple[int, ...]] | None = None) -> None:
    """Check that the memory suffices before columns with so many codes are counted. Raises `UsageError`.

    scopes: the groups of columns that are counted together, by number; by default every pair.
    """
    groups = combinations(range(len(sizes)), 2) if scopes is None else (scope for scope in scopes if len(scope) > 1)
    cells = sum(math.prod(sizes[c] for c in scope) for scope in groups)
    memory.demand(
        cells * _COMBINATION,
        f"counting {cells:,} combinations of several columns' values",
        "name fewer columns with --columns, or declare fewer bins or categories",
    )


def demand_rows(rows: int, columns: int) -> None:
    """Check that the memory suffices before rows are drawn. Raises `UsageError`."""
    memory.demand(
        rows * (columns * _CELL + _ROW),
        f"drawing {rows:,} rows of {columns} columns",
        "ask for fewer rows with --rows (drawing from a release that is already paid for is free)",
    )


def tell_held(columns: int, private: int) -> None:
    """Say what the rows take that are held while private bins are found: it isn't known before they are read."""
    if memory.tell is not None:
        each = columns * _CODE + private * (_STEP - _CODE) + _ROW
        memory.tell(f"rows are held while bins are found: about {each} bytes for each of them")
