"""Columns of few cells, put together: a call of polars costs as much as looking at some thousand cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

import polars as pl

T = TypeVar("T")

_CELLS: Final = 10_000
_BYTES: Final = 1 << 20


def groups(columns: Iterable[tuple[T, pl.Series]]) -> Iterator[list[tuple[T, pl.Series]]]:
    """Divide columns, each behind what it belongs to, into groups that have few cells together; a long one is alone."""
    group: list[tuple[T, pl.Series]] = []
    cells = size = 0
    for owner, column in columns:
        more, larger = len(column), int(column.estimated_size())
        if group and (cells + more > _CELLS or size + larger > _BYTES):
            yield group
            group, cells, size = [], 0, 0
        group.append((owner, column))
        cells, size = cells + more, size + larger
    if group:
        yield group


def stacked(columns: Sequence[pl.Series]) -> pl.Series:
    """Columns of one type, one below the other."""
    return columns[0] if len(columns) == 1 else pl.concat(columns, rechunk=True)
