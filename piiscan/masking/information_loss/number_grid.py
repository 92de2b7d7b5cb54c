"""The distribution of a column's numbers as counts on a grid, which is as fine as a bounded number of cells allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.information_loss.value_counts import Floats, firsts

CELLS: Final = 4096
LARGEST: Final = 1e300
_FINEST: Final = -1074
_COARSEST: Final = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Grid:
    """How many numbers lie in each cell of width 2^`level`; None: few enough numbers to keep them all.

    The level is the lowest one with at most CELLS filled cells. Each cell lies within one of the next level, so that is
    the same however the numbers were cut up. `starts`, the lower ends of the filled cells, ascend.
    """

    starts: Floats
    counts: NDArray[np.int64]
    level: int | None = None

    @staticmethod
    def empty() -> Grid:
        return Grid(np.zeros(0), np.zeros(0, dtype=np.int64))

    @staticmethod
    def of(numbers: Floats) -> Grid:
        """Of numbers up to LARGEST, either side of 0."""
        ascending = np.sort(numbers + 0.0)
        first = firsts(ascending)
        return _fitted(Grid(ascending[first], np.diff(first, append=len(ascending))))

    def __add__(self, other: Grid) -> Grid:
        a, b = _same_level(self, other)
        return _fitted(_merged(np.concatenate([a.starts, b.starts]), np.concatenate([a.counts, b.counts]), a.level))

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def centres(self) -> Floats:
        return self.starts if self.level is None else self.starts + math.ldexp(0.5, self.level)

    @property
    def mean(self) -> float:
        return math.fsum((self.centres * (self.counts / self.total)).tolist())

    @property
    def spread(self) -> float:
        """The standard deviation."""
        return math.sqrt(math.fsum(((self.centres - self.mean) ** 2 * (self.counts / self.total)).tolist()))

    def at(self, level: int | None) -> Grid:
        """The same on a grid at least as coarse."""
        return (
            self if level is None or level == self.level else _merged(_floored(self.starts, level), self.counts, level)
        )


def _same_level(a: Grid, b: Grid) -> tuple[Grid, Grid]:
    level = max((g.level for g in (a, b) if g.level is not None), default=None)
    return a.at(level), b.at(level)


def _floored(numbers: Floats, level: int) -> Floats:
    """Down to a multiple of 2^level; exact, since a double that has more digits than that is one already."""
    with np.errstate(over="ignore"):
        scaled = np.ldexp(numbers, -level)
        # what is too small to be scaled down is below 0 all the same
        whole = np.ldexp(np.where((scaled == 0) & (numbers < 0), -1.0, np.floor(scaled)), level)
    return np.where(np.abs(numbers) >= 2.0 ** min(1023, level + 53), numbers, whole) + 0.0


def _merged(starts: Floats, counts: NDArray[np.int64], level: int | None) -> Grid:
    order = np.argsort(starts, kind="stable")
    starts = starts[order]
    first = firsts(starts)
    return (
        Grid(starts[first], np.add.reduceat(counts[order], first), level) if len(first) else Grid(starts, counts, level)
    )


def _fitted(found: Grid) -> Grid:
    """On the finest grid that has room."""
    if len(found.starts) <= CELLS:
        return found
    low, high = _FINEST if found.level is None else found.level + 1, _COARSEST
    while low < high:
        middle = (low + high) // 2
        if len(firsts(_floored(found.starts, middle))) <= CELLS:
            high = middle
        else:
            low = middle + 1
    return found.at(low)


class NumberDistances(NamedTuple):
    """Distances between two distributions: Kolmogorov–Smirnov (0 to 1) and Wasserstein.

    The Wasserstein distance is how far a number has to move on average to turn one distribution into the other.
    """

    kolmogorov_smirnov: float
    wasserstein: float


def number_distances(a: Grid, b: Grid) -> NumberDistances:
    """How far two distributions, neither of them empty, are from each other."""
    a, b = _same_level(a, b)
    every = np.union1d(a.starts, b.starts)
    shares = [_cumulated(every, side) for side in (a, b)]
    differences = np.abs(shares[0] - shares[1])
    wasserstein = math.fsum((differences[:-1] * np.diff(every)).tolist())
    return NumberDistances(float(differences.max()), wasserstein)


def _cumulated(every: Floats, side: Grid) -> Floats:
    sums = np.concatenate([[0], np.cumsum(side.counts)])
    return np.asarray(sums[np.searchsorted(side.starts, every, side="right")] / side.total)
