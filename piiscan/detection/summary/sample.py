"""The k values (or rows) with the smallest hash: a sample that doesn't depend on how the rows were cut up.

A value among the k smallest of all is among the k smallest of every part that holds it, so its count over the parts is
exact. Hashes are 64 bits under a fixed seed and never leave memory. After Beyer, Haas, Reinwald, Sismanis and Gemulla,
"On synopses for distinct-value estimation under multiset operations" (SIGMOD 2007), section 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest
from typing import Final, Generic, TypeVar

from piiscan.core import shapes

VALUES: Final = 1024
"""Distinct values kept a column; up to here `distinct` is exact."""
ROWS: Final = 256
"""Distinct rows kept a table."""
CELLS: Final = 1 << 19
"""Cells kept a table: of tables wider than half a thousand columns, fewer values of each."""
LEAST: Final = 32
CELL_BYTES: Final = 512
"""Longer cells are cut to this many bytes in a sample (rules see them whole)."""


def values_of(width: int) -> int:
    """Distinct values kept of each column of a table of so many."""
    return max(LEAST, min(VALUES, CELLS // max(1, width)))


def rows_of(width: int) -> int:
    """Distinct rows kept of a table of so many columns."""
    return max(LEAST, min(ROWS, CELLS // max(1, width)))


Item = TypeVar("Item", str, tuple[str | None, ...])


@dataclass(frozen=True)
class _BottomK(Generic[Item]):
    """`entries`: hash → (item, count), at most `k`. Two items of one hash count as one, whichever text sorts first."""

    entries: Mapping[int, tuple[Item, int]] = field(default_factory=dict, repr=False)
    k: int = VALUES
    full: bool = False  # more than k distinct hashes were seen

    def _add(self, other: _BottomK[Item]) -> tuple[dict[int, tuple[Item, int]], bool]:
        small, large = sorted((self.entries, other.entries), key=len)
        highest = max(large) if len(large) >= self.k else (1 << 64) - 1
        merged = dict(large)
        within = [key for key in small if key <= highest]  # few, where many rows were seen before
        full = self.full or other.full or len(within) < len(small)
        for key in within:
            item, count = small[key]
            known = merged.get(key)
            merged[key] = (item, count) if known is None else (_first(item, known[0]), count + known[1])
        if (over := len(merged) - self.k) > 0:
            full = True
            for key in nlargest(over, merged):
                del merged[key]
        return merged, full

    @property
    def limit(self) -> int:
        """Hashes above this can't get into the sample any more."""
        return max(self.entries) if len(self.entries) >= self.k else (1 << 64) - 1

    @property
    def total(self) -> int:
        """How many cells (or rows) the sampled items stand for."""
        return sum(count for _, count in self.entries.values())

    @cached_property
    def items(self) -> tuple[tuple[Item, int], ...]:
        """(item, exact count), in the order of their hashes: a fixed pseudo-random order."""
        keys = list(self.entries)
        ordered = sorted(keys)  # as those of a batch are already
        return tuple(self.entries.values() if keys == ordered else map(self.entries.__getitem__, ordered))


def _first(a: Item, b: Item) -> Item:
    return a if a == b else min(a, b, key=repr)


@dataclass(frozen=True)
class Sample(_BottomK[str]):
    """Up to VALUES distinct cell texts with exact counts."""

    @staticmethod
    def empty() -> Sample:
        return Sample()

    def __add__(self, other: Sample) -> Sample:
        return Sample(*_with_k(self._add(other), self.k))

    @cached_property
    def looks(self) -> Mapping[str, int]:
        """How many of the distinct texts are written in each way (`shapes.look`)."""
        return Counter(shapes.of_each([text for text, _ in self.items], shapes.look))

    @property
    def distinct(self) -> int:
        """Number of distinct values: exact unless `full`, else the bottom-k estimate (k − 1) / h_k, in integers."""
        if not self.full:
            return len(self.entries)
        return ((self.k - 1) << 64) // max(1, self.limit)


@dataclass(frozen=True)
class RowSample(_BottomK[tuple[str | None, ...]]):
    """Up to ROWS distinct rows, each a tuple of cell texts (None for null), for evidence across columns."""

    k: int = ROWS

    @staticmethod
    def empty() -> RowSample:
        return RowSample()

    def __add__(self, other: RowSample) -> RowSample:
        return RowSample(*_with_k(self._add(other), self.k))


Entries = TypeVar("Entries")


def _with_k(merged: tuple[Entries, bool], k: int) -> tuple[Entries, int, bool]:
    return merged[0], k, merged[1]
