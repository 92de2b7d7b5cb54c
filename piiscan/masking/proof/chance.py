"""How many global values chance explains, and how far that may vary.

Where a made-up name or a number is repeated in thousands of cells, either all of them equal somebody's value by chance,
or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.proof.printer import Prints, Rows

_BUCKETS: Final = 256
"""The variance is estimated to about √(2 / 256), a tenth."""
_SMALLEST: Final = 1024
"""The number of different names is estimated to about 1 / √1024, three hundredths."""
_PHRASE: Final = 5
"""Rows in which a full name in small letters may stand and isn't taken for a phrase."""
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_NONE: Final[Prints] = np.zeros(0, dtype=np.uint64)
_NO_SHARES: Final[NDArray[np.float64]] = np.zeros(0)


class Candidates(NamedTuple):
    """Values that may be somebody's by chance: in which row each stands, its print, and how likely it is."""

    row: Rows
    print: Prints
    likely: NDArray[np.float64]


class Chance(NamedTuple):
    """How many of some cells hold somebody's value by chance.

    The `expected` number, and signed sums in buckets whose squares add up to its variance (a count sketch: Charikar,
    Chen and Farach-Colton 2002), None where no value was likely to be somebody's. `names`: the smallest of the
    scattered prints of the made-up names among them, which estimate how many different ones there are (k minimum
    values: Bar-Yossef et al. 2002), and `likely`: how likely each of these is somebody's.
    """

    expected: float = 0.0
    sums: NDArray[np.float64] | None = None
    names: Prints = _NONE
    likely: NDArray[np.float64] = _NO_SHARES

    def __add__(self, other: object) -> Chance:
        if not isinstance(other, Chance):
            return NotImplemented
        sums = [c.sums for c in (self, other) if c.sums is not None]
        return Chance(
            self.expected + other.expected,
            sum(sums[1:], start=sums[0]) if sums else None,
            *_smallest(np.concatenate([self.names, other.names]), np.concatenate([self.likely, other.likely])),
        )

    @property
    def variance(self) -> float:
        """Of a value that stands in m cells and is somebody's with probability p, about p m²; of single ones p."""
        return 0.0 if self.sums is None else float(self.sums @ self.sums)

    @property
    def different_names(self) -> float:
        """How many different names are expected to be somebody's."""
        if len(self.names) < _SMALLEST:
            return float(self.likely.sum())
        return float(self.likely.mean()) * (_SMALLEST - 1) * 2.0**64 / float(self.names[-1])


def sketches(candidates: Sequence[Candidates], column_of: Rows, columns: int) -> Iterator[NDArray[np.float64] | None]:
    """For each of some columns the sums of `Chance`; `column_of`: the column of each row."""
    some = [c for c in candidates if len(c.row)]
    if not some:
        yield from [None] * columns
        return
    column = np.concatenate([column_of[c.row] for c in some])
    mixed = _scattered(np.concatenate([c.print for c in some]))
    weight = np.sqrt(np.concatenate([c.likely for c in some]))
    bucket = (mixed >> np.uint64(56)).astype(np.int64)
    weight[(mixed >> np.uint64(55)) & np.uint64(1) == 1] *= -1
    is_there = np.bincount(column, minlength=columns) > 0
    which, place = np.flatnonzero(is_there), np.cumsum(is_there) - 1
    sums = np.bincount(place[column] * _BUCKETS + bucket, weights=weight, minlength=len(which) * _BUCKETS)
    each = sums.astype(np.float64, copy=False).reshape(-1, _BUCKETS)
    of = dict(zip(which.tolist(), each, strict=True))
    for i in range(columns):
        yield of.get(i)


def smallest(names: Candidates, column_of: Rows, columns: int) -> Iterator[tuple[Prints, NDArray[np.float64]]]:
    """For each of some columns the `names` of `Chance`, and how likely each is somebody's."""
    if not len(names.row):
        yield from [(_NONE, _NO_SHARES)] * columns
        return
    column, prints = column_of[names.row], _scattered(names.print)
    bounds = np.searchsorted(column, np.arange(columns + 1)).tolist()
    for start, stop in pairwise(bounds):
        yield _smallest(prints[start:stop], names.likely[start:stop])


def _smallest(prints: Prints, likely: NDArray[np.float64]) -> tuple[Prints, NDArray[np.float64]]:
    """The smallest different prints, each with the highest of its likelihoods."""
    distinct, which = np.unique(prints, return_inverse=True)
    most = np.zeros(len(distinct))
    np.maximum.at(most, which, likely)
    return distinct[:_SMALLEST], most[:_SMALLEST]


def _scattered(prints: Prints) -> Prints:
    """Prints of runs of words are not spread evenly."""
    return (prints ^ (prints >> np.uint64(32))) * _GOLDEN


def not_phrases(found: Sequence[tuple[Rows, Prints]]) -> Rows:
    """The rows of full names in lower case that aren't phrases.

    What occurs in many rows is taken for words: "mark down" is in many notes, even if somebody has that name.
    """
    rows, prints = (np.concatenate(each) for each in zip(*found, strict=True))
    _, which, times = np.unique(prints, return_inverse=True, return_counts=True)
    return np.unique(rows[times[which] <= _PHRASE])
