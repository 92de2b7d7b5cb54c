"""What a bottom-k sample holds: hashes with an item and a count each, by columns.

Most samples of files are only added to others, and many are added at once: that is arithmetic on arrays, not a walk
over thousands of tuples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Item = TypeVar("Item", str, tuple[str | None, ...])


class Source(Protocol[Item]):
    """Cells or rows that samples are of."""

    def at(self, places: NDArray[np.int64]) -> list[Item]:
        """Those at some places, as a sample keeps them."""


class OnDemand(Sequence[Item]):
    """Items at some places of a source, fetched when asked for: of the sample of a file most never are."""

    __slots__ = ("_head", "_known", "places", "source")

    def __init__(self, source: Source[Item], places: NDArray[np.int64]) -> None:
        self.source: Source[Item] | None = source
        self.places = places
        self._known: list[Item] = []
        self._head: list[Item] = []

    @property
    def every(self) -> list[Item]:
        """All of them. From then on nothing of the source is kept."""
        if self.source is not None:
            self._known, self.source = self.source.at(self.places), None
        return self._known

    def first(self, most: int) -> list[Item]:
        """So many of the first."""
        if self.source is None:
            return self._known[:most]
        return self._head[:most] if len(self._head) >= min(most, len(self)) else self.source.at(self.places[:most])

    @staticmethod
    def fetch_all(several: Sequence[OnDemand[Item]]) -> None:
        """Fetch all of each, which costs less for all at once where they have one source."""
        waiting = [one for one in several if one.source is not None]
        if not waiting or any(one.source is not waiting[0].source for one in waiting):
            return
        source = waiting[0].source
        found = [] if source is None else source.at(np.concatenate([one.places for one in waiting]))
        at = 0
        for one in waiting:
            one._known, one.source = found[at : at + len(one)], None
            at += len(one)

    @staticmethod
    def fetch_first(several: Sequence[OnDemand[Item]], most: int) -> None:
        """Fetch so many of the first of each, which costs less for all at once where they have one source."""
        waiting = [one for one in several if one.source is not None]
        if not waiting or any(one.source is not waiting[0].source for one in waiting):
            return
        source = waiting[0].source
        places = [one.places[:most] for one in waiting]
        found = [] if source is None else source.at(np.concatenate(places))
        at = 0
        for one, own in zip(waiting, places, strict=True):
            one._head = found[at : at + len(own)]
            if len(own) == len(one):
                one._known, one.source = one._head, None
            at += len(own)

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> list[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | list[Item]:
        return self.every[at]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.every)

    def __len__(self) -> int:
        return len(self.places)


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

    def first(self, most: int) -> list[Item]:
        """So many of the first items."""
        items = self.items_by_hash
        return items.first(most) if isinstance(items, OnDemand) else list(islice(items, most))

    def fetch(self) -> None:
        """Fetch all items, for those who keep the sample longer than what it is of."""
        if isinstance(self.items_by_hash, OnDemand):
            self.items_by_hash = self.items_by_hash.every

    def __reduce__(self) -> tuple[object, ...]:
        return Entries, (self.hashes, list(self.items_by_hash), self.counts)


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
    order = _smallest(hashes, k)
    ordered = hashes[order]
    is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    first = np.flatnonzero(is_first)
    is_over = len(first) > k
    if is_over:
        stop = first[k]
        first, order, is_first = first[:k], order[:stop], is_first[:stop]
    every = _items([part.items_by_hash for part in filled], order)
    counts = np.concatenate([part.counts for part in filled])[order]
    if len(order) == len(first):
        return Entries(ordered[first], every, counts), is_over
    items = [every[i] for i in first.tolist()]
    again = np.flatnonzero(~is_first)
    of = np.searchsorted(first, again) - 1
    for at, group in zip(again.tolist(), of.tolist(), strict=True):
        if every[at] != items[group]:
            items[group] = min(every[at], items[group], key=repr)
    return Entries(ordered[first], items, np.add.reduceat(counts, first)), is_over


def _smallest(hashes: NDArray[np.uint64], k: int) -> NDArray[np.intp]:
    """The places of the smallest hashes in their order: more than k different ones, or all."""
    if len(hashes) > 8 * k:
        few = np.flatnonzero(hashes <= np.partition(hashes, 4 * k)[4 * k])
        order = few[np.argsort(hashes[few])]
        if np.count_nonzero(np.diff(hashes[order])) >= k:
            return order
    return np.argsort(hashes)


def _items(parts: Sequence[Sequence[Item]], order: NDArray[np.int64]) -> list[Item]:
    """The items at some places among those of all parts, one part behind the other."""
    waiting = [part for part in parts if isinstance(part, OnDemand) and part.source is not None]
    if not waiting:
        every = [item for part in parts for item in part]
        return [every[i] for i in order.tolist()]
    source = waiting[0].source
    if source is not None and len(waiting) == len(parts) and all(part.source is source for part in waiting):
        return source.at(np.concatenate([part.places for part in waiting])[order])
    stops: NDArray[np.int64] = np.cumsum([len(part) for part in parts])
    by_part = np.argsort(order, kind="stable")
    ends: NDArray[np.int64] = np.searchsorted(order[by_part], stops)
    found: list[Any] = [None] * len(order)
    for part, stop, (begin, end) in zip(parts, stops, pairwise((0, *ends.tolist())), strict=True):
        places = by_part[begin:end]
        own = order[places] - (stop - len(part))
        if isinstance(part, OnDemand) and part.source is not None:
            items = part.source.at(part.places[own])
        else:
            items = [part[i] for i in own.tolist()]
        for place, item in zip(places.tolist(), items, strict=True):
            found[place] = item
    return found
