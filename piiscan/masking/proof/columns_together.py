"""Columns of few cells, one below the other: most of a look-up's cost is per call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.proof.chance import Candidates, Chance, sketches, smallest
from piiscan.masking.proof.printer import Prints, Rows


class Cells(NamedTuple):
    """Cells (String) of a column, `keys` of their rows, and those of `others` several times.

    `names`: whether full names are looked for; made-up streets are called after people.
    """

    texts: pl.Series
    keys: Sequence[Prints]
    others: Sequence[Sequence[Prints]]
    names: bool


class Bounds(NamedTuple):
    """Rows of several columns, ascending by column: which are each one's, as if it stood alone."""

    rows: Rows
    bounds: Rows
    firsts: Rows

    def slice(self, i: int) -> slice:
        return slice(int(self.bounds[i]), int(self.bounds[i + 1]))

    def of(self, i: int) -> Rows:
        rows: Rows = self.rows[self.slice(i)] - self.firsts[i]
        return rows


class ColumnsTogether:
    """Columns stacked one below the other: their `texts`, and for each row its `column`, keys and `names`.

    Keys are 0 where a row has none; `names`: whether full names are looked for.
    """

    def __init__(self, columns: Sequence[Cells]) -> None:
        sizes = [len(c.texts) for c in columns]
        self.texts = columns[0].texts if len(columns) == 1 else pl.concat([c.texts for c in columns])
        self.column = np.repeat(np.arange(len(columns)), sizes)
        self.names = np.repeat([c.names for c in columns], sizes)
        self._firsts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.keys = _below([c.keys for c in columns], sizes)
        ways = max(len(c.others) for c in columns)
        self.others = [_below([c.others[n] if n < len(c.others) else () for c in columns], sizes) for n in range(ways)]

    def bounds(self, rows: Rows) -> Bounds:
        """Of rows that are ascending by column."""
        return Bounds(rows, self._at(rows), self._firsts)

    def sums(self, rows: Rows, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of the values of ascending rows for each column, added up as if it stood alone."""
        at = self._at(rows)
        out = np.zeros(len(at) - 1)
        for i in np.flatnonzero(np.diff(at)).tolist():
            out[i] = values[at[i] : at[i + 1]].sum()
        return out

    def in_order(self, found: Iterable[tuple[Rows, Prints]]) -> tuple[Bounds, Prints]:
        """Rows and their prints, ascending by column."""
        none = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint64)
        rows, prints = (np.concatenate(each) for each in zip(none, *found, strict=True))
        order = np.argsort(self.column[rows], kind="stable")
        return self.bounds(rows[order]), prints[order]

    def elsewhere(self, rows: Rows, times: int) -> Iterator[Rows]:
        """Several times, for values in ascending rows, the place of another value of the same column.

        It is the value's own place where a column has few.
        """
        bounds = self._at(rows)
        sizes = np.diff(bounds)
        first, size = np.repeat(bounds[:-1], sizes), np.repeat(sizes, sizes)
        for n in range(1, times + 1):
            yield first + (np.arange(len(rows)) - first + n * size // (times + 1)) % np.maximum(size, 1)

    def chances(self, candidates: Sequence[Candidates], names: int) -> list[Chance]:
        """What chance gives in each column; full names are the candidates number `names`."""
        expected = np.sum([self.sums(c.row, c.likely) for c in candidates], axis=0).tolist()
        columns, full = len(self._firsts) - 1, candidates[names]
        parts = sketches(candidates, self.column, columns), smallest(full, self.column, columns)
        return [Chance(e, sums, *few) for e, sums, few in zip(expected, *parts, strict=True)]

    def _at(self, rows: Rows) -> Rows:
        at: Rows = np.searchsorted(self.column[rows], np.arange(len(self._firsts)))
        return at


def _below(keys: Sequence[Sequence[Prints]], sizes: Sequence[int]) -> list[Prints]:
    """The keys of several columns one below the other, as many as the one with the most has."""
    most = max(map(len, keys))
    none = [np.zeros(size, dtype=np.uint64) for size in sizes]
    return [
        np.concatenate([own[n] if n < len(own) else no for own, no in zip(keys, none, strict=True)])
        for n in range(most)
    ]
