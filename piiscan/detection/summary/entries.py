"""What a bottom-k sample holds: hashes with an item and a count each, by columns.

Most samples of files are only added to others, and many are added at once: that is arithmetic on arrays, not a walk
over thousands of tuples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Item = TypeVar("Item", str, tuple[str | None, ...])


class Entries(Mapping[int, tuple[Item, int]], Generic[Item]):
    """hash → (item, count), in the order of the hashes. hashes: (n,) uint64, sorted, each once; counts: (n,) int64."""

    __slots__ = ("_known", "counts", "hashes", "items_by_hash")

    def __init__(self, hashes: NDArray[np.uint64], items: Sequence[Item], counts: NDArray[np.int64]) -> None:
        self.hashes, self.counts = hashes, counts
        self.items_by_hash: Sequence[Item] = items
        self._known: dict[int, tuple[Item, int]] | None = None

    @classmethod
    def of(cls, entries: Mapping[int, tuple[Item, int]]) -> Entries[Item]:
        """Any entries by columns."""
        if isinstance(entries, Entries):
            return entries
        hashes = sorted(entries)
        pairs = [entries[key] for key in hashes]
        counts = np.array([count for _, count in pairs], dtype=np.int64)
        return cls(np.array(hashes, dtype=np.uint64), [item for item, _ in pairs], counts)

    @property
    def _each(self) -> dict[int, tuple[Item, int]]:
        if self._known is None:
            pairs = zip(self.items_by_hash, self.counts.tolist(), strict=True)
            self._known = dict(zip(self.hashes.tolist(), pairs, strict=True))
        return self._known

    def __getitem__(self, key: int) -> tuple[Item, int]:
        return self._each[key]

    def __iter__(self) -> Iterator[int]:
        return iter(self.hashes.tolist())

    def __len__(self) -> int:
        return len(self.hashes)

    def __reduce__(self) -> tuple[object, ...]:
        return Entries, (self.hashes, self.items_by_hash, self.counts)


def added(parts: Sequence[Mapping[int, tuple[Item, int]]], k: int) -> tuple[Entries[Item], bool]:
    """The k entries of smallest hash of all parts, with the sums of their counts, and whether there are more.

    Of items that share a hash the one that sorts first stays, whatever the order of the parts.
    """
    filled = [Entries.of(part) for part in parts if len(part)]
    if not filled:
        return Entries(np.zeros(0, dtype=np.uint64), [], np.zeros(0, dtype=np.int64)), False
    if len(filled) == 1 and len(filled[0]) <= k:
        return filled[0], False
    hashes = np.concatenate([part.hashes for part in filled])
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    first = np.flatnonzero(is_first)
    is_over = len(first) > k
    if is_over:
        stop = first[k]
        first, order, is_first = first[:k], order[:stop], is_first[:stop]
    every: list[Item] = [item for part in filled for item in part.items_by_hash]
    items = [every[i] for i in order[first].tolist()]
    counts = np.concatenate([part.counts for part in filled])[order]
    if len(order) > len(first):
        counts = np.add.reduceat(counts, first)
        again = np.flatnonzero(~is_first)
        of = np.searchsorted(first, again) - 1
        for at, group in zip(order[again].tolist(), of.tolist(), strict=True):
            if every[at] != items[group]:
                items[group] = min(every[at], items[group], key=repr)
    return Entries(ordered[first], items, counts), is_over
