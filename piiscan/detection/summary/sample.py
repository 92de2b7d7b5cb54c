"""The k values (or rows) with the smallest hash: a sample that doesn't depend on how the rows were cut up.

A value among the k smallest of all is among the k smallest of every part that holds it, so its count over the parts is
exact. Hashes are 64 bits under a fixed seed and never leave memory. After Beyer, Haas, Reinwald, Sismanis and Gemulla,
"On synopses for distinct-value estimation under multiset operations" (SIGMOD 2007), section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Generic

from piiscan.detection.summary.entries import Entries, Item, OnDemand, added

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


@dataclass(frozen=True)
class _BottomK(Generic[Item]):
    """`entries`: hash → (item, count), at most `k`. Two items of one hash count as one, whichever text sorts first."""

    entries: Mapping[int, tuple[Item, int]] = field(default_factory=dict, repr=False)
    k: int = VALUES
    full: bool = False  # more than k distinct hashes were seen

    def _sum(self, others: Sequence[_BottomK[Item]]) -> tuple[Entries[Item], int, bool]:
        parts: list[Mapping[int, tuple[Item, int]]] = [self.entries]
        parts += [other.entries for other in others]
        merged, is_over = added(parts, self.k)
        return merged, self.k, is_over or self.full or any(other.full for other in others)

    def __getstate__(self) -> dict[str, object]:
        return {"entries": self.entries, "k": self.k, "full": self.full}  # without what was made of them

    @property
    def limit(self) -> int:
        """Hashes above this can't get into the sample any more."""
        if len(self.entries) < self.k:
            return (1 << 64) - 1
        return int(self.entries.hashes[-1]) if isinstance(self.entries, Entries) else max(self.entries)

    @property
    def total(self) -> int:
        """How many cells (or rows) the sampled items stand for."""
        return int(Entries.of(self.entries).counts.sum())

    @cached_property
    def items(self) -> tuple[tuple[Item, int], ...]:
        """(item, exact count), in the order of their hashes: a fixed pseudo-random order."""
        ordered = Entries.of(self.entries)
        return tuple(zip(ordered.items_by_hash, ordered.counts.tolist(), strict=True))

    def first(self, most: int) -> Sequence[tuple[Item, int]]:
        """So many of `items`, at most."""
        if most not in self._firsts:
            ordered = Entries.of(self.entries)
            self._firsts[most] = list(zip(ordered.first(most), ordered.counts[:most].tolist(), strict=True))
        return self._firsts[most]

    @cached_property
    def _firsts(self) -> dict[int, Sequence[tuple[Item, int]]]:
        """What was asked for: the same few are looked at by several, one after the other."""
        return {}

    def fetch(self) -> None:
        """Fetch all items, where that waits for somebody to ask for them, and release the cells."""
        if isinstance(self.entries, Entries):
            self.entries.fetch()


@dataclass(frozen=True)
class Sample(_BottomK[str]):
    """Up to VALUES distinct cell texts with exact counts."""

    @staticmethod
    def empty() -> Sample:
        return Sample()

    def __add__(self, other: Sample) -> Sample:
        return self.sum((other,))

    def sum(self, others: Sequence[Sample]) -> Sample:
        """The sample of all together."""
        return Sample(*self._sum(others))

    @property
    def texts(self) -> Sequence[str]:
        """The texts of `items`."""
        ordered = Entries.of(self.entries)
        ordered.fetch()
        texts: Sequence[str] = ordered.items_by_hash
        return texts

    @property
    def distinct(self) -> int:
        """Number of distinct values: exact unless `full`, else the bottom-k estimate (k − 1) / h_k, in integers."""
        if not self.full:
            return len(self.entries)
        return ((self.k - 1) << 64) // max(1, self.limit)


def fetch_first(samples: Iterable[Sample], most: int) -> None:
    """Fetch so many of the first texts of some samples, where they wait for somebody to ask for them."""
    OnDemand.fetch_first(_waiting(samples), most)


def fetch_all(samples: Iterable[Sample]) -> None:
    """Fetch all texts of some samples, where they wait for somebody to ask for them."""
    OnDemand.fetch_all(_waiting(samples))


def _waiting(samples: Iterable[Sample]) -> list[OnDemand[str]]:
    items = [s.entries.items_by_hash for s in samples if isinstance(s.entries, Entries)]
    return [own for own in items if isinstance(own, OnDemand)]


@dataclass(frozen=True)
class RowSample(_BottomK[tuple[str | None, ...]]):
    """Up to ROWS distinct rows, each a tuple of cell texts (None for null), for evidence across columns."""

    k: int = ROWS

    @staticmethod
    def empty() -> RowSample:
        return RowSample()

    def __add__(self, other: RowSample) -> RowSample:
        return self.sum((other,))

    def sum(self, others: Sequence[RowSample]) -> RowSample:
        """The sample of all together."""
        return RowSample(*self._sum(others))
