"""How often each value of a column occurs, and how far two columns differ in that, by hashes of the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Floats = NDArray[np.float64]
HIGHEST: Final = np.uint64(2**64 - 1)


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """The k values of smallest hash with their exact counts; like `Sample`, but with the hashes alone.

    `hashes` ascend; `full`: there were more than k, so figures come from a sample.
    """

    hashes: Hashes
    counts: NDArray[np.int64]
    k: int
    full: bool = False

    @staticmethod
    def empty(k: int) -> Values:
        return Values(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64), k)

    @staticmethod
    def of(hashes: Hashes, k: int, limit: np.uint64 = HIGHEST) -> Values:
        """Of cells with these hashes.

        Those above `limit`, of a sum that this is added to and that is full already, are left out at once.
        """
        near = np.sort(hashes[hashes <= limit] if limit < HIGHEST else hashes)
        first = firsts(near)
        counts = np.diff(first, append=len(near))
        return Values(near[first][:k].copy(), counts[:k].copy(), k, len(near) < len(hashes) or len(first) > k)

    def __add__(self, other: Values) -> Values:
        if not len(other.hashes):
            return Values(self.hashes, self.counts, self.k, self.full or other.full)
        hashes, counts = np.concatenate([self.hashes, other.hashes]), np.concatenate([self.counts, other.counts])
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        first = firsts(hashes)
        counts = np.add.reduceat(counts[order], first)
        return Values(
            hashes[first][: self.k].copy(),
            counts[: self.k].copy(),
            self.k,
            self.full or other.full or len(first) > self.k,
        )

    @property
    def limit(self) -> np.uint64:
        """Hashes above it can't get in any more."""
        return np.uint64(self.hashes[-1]) if len(self.hashes) == self.k else HIGHEST

    @property
    def distinct(self) -> int:
        """How many different values there were: exact unless `full`, else the bottom-k estimate (k − 1) / h_k."""
        return ((self.k - 1) << 64) // max(1, int(self.limit)) if self.full else len(self.hashes)

    def within(self, limit: np.uint64) -> Values:
        """Only those up to a hash."""
        n = int(np.searchsorted(self.hashes, limit, side="right"))
        return Values(self.hashes[:n], self.counts[:n], self.k, self.full)


def firsts(ascending: Hashes | Floats) -> NDArray[np.int64]:
    """Where each value of a sorted array stands first."""
    return (
        np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
        if len(ascending)
        else np.zeros(0, dtype=np.int64)
    )


def frequency_total_variation(a: Values, b: Values) -> float | None:
    """Return the total variation distance, 0 to 1, between the sorted value frequencies of two sides.

    It compares how often the commonest value occurs, the second, and so on, whatever the values are.

    Of samples, each rank stands for as many as were left out evenly between them. None where one side has no values.
    """
    if not len(a.hashes) or not len(b.hashes):
        return None
    (ends_a, heights_a), (ends_b, heights_b) = _profile(a), _profile(b)
    ends = np.union1d(ends_a, ends_b)
    widths = np.diff(ends, prepend=0.0)
    return float(np.sum(np.abs(_at(ends, ends_a, heights_a) - _at(ends, ends_b, heights_b)) * widths)) / 2


def _profile(values: Values) -> tuple[Floats, Floats]:
    """Where each rank ends, and the share of the cells that one value of it has."""
    counts = np.sort(values.counts)[::-1].astype(np.float64)
    width = values.distinct / len(counts)
    ends = np.arange(1, len(counts) + 1, dtype=np.float64) * width
    return ends, counts / counts.sum() / width


def _at(ends: Floats, own: Floats, heights: Floats) -> Floats:
    at = np.searchsorted(own, ends, side="left")
    return np.where(at < len(own), heights[np.minimum(at, len(own) - 1)], 0.0)


class ValueOverlap(NamedTuple):
    """How much two sides have in common: `jaccard` and `total_variation`, both 0 to 1.

    `jaccard` is the share of all values that occur on both sides; `total_variation` the distance between the shares of
    the cells that each value has.
    """

    jaccard: float
    total_variation: float


def value_overlap(a: Values, b: Values) -> ValueOverlap | None:
    """How far two sides have the same values; None where one has none."""
    limit = min(a.limit if a.full else HIGHEST, b.limit if b.full else HIGHEST)
    a, b = a.within(limit), b.within(limit)
    if not len(a.hashes) or not len(b.hashes):
        return None
    every = np.union1d(a.hashes, b.hashes)
    shares = np.zeros((2, len(every)))
    for row, side in zip(shares, (a, b), strict=True):
        row[np.searchsorted(every, side.hashes)] = side.counts / side.counts.sum()
    both = int(np.count_nonzero((shares > 0).all(axis=0)))
    return ValueOverlap(both / len(every), float(np.sum(np.abs(shares[0] - shares[1]))) / 2)
