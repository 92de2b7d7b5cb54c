"""Which small sets of columns single records out: a level-wise search, and special uniques (SUDA)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Final

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.classes import classes_of, members
from piiscan.anonymity.histogram import Ints

MOST: Final = 0.5
"""Sets that single out at least this share of all records are called identifying."""
LARGEST: Final = 3
"""Largest number of columns in a set."""
_EFFORT: Final = 200_000_000
"""Entries times sets: above this, only smaller sets are examined."""
_EACH: Final = 5_000
"""The fixed cost of a set, in entries."""


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """Some columns, and how well they distinguish records.

    columns: indices in the list of candidates. unique: share of the records that share these columns' values with no
    other.
    distinct: combinations of values for each record. separation: share of the pairs of records that differ in some of
    the columns. (The latter two: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers,
    2007.) minimal: the set identifies most records, and without any one of its columns it doesn't.
    """

    columns: tuple[int, ...]
    unique: float
    distinct: float
    separation: float
    minimal: bool


@dataclass(frozen=True, slots=True)
class Special:
    """Special uniques: records that are unique in a subset of the columns.

    The smaller the subset, the greater the risk (Elliot et al., SUDA, 2002).

    records: for each size of set, from 1 on, the records whose smallest unique set of columns has that size.
    contributions: (candidates,) each column's share of the sum of all scores: the scores of the sets that contain it.
    highest: the highest score of a record: Σ over its minimal unique sets of Π (columns - i), i from the set's size to
    the largest one.
    """

    records: tuple[int, ...]
    contributions: tuple[float, ...]
    highest: int


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of a search. size: the largest sets examined. sets: all of them, smaller ones first."""

    size: int
    sets: tuple[ColumnSet, ...]
    special: Special


def search(
    columns: Sequence[Ints], sizes: Sequence[int], rows: Ints, unit: Ints | None = None, largest: int = LARGEST
) -> Searched:
    """Examine every set of up to `largest` columns. columns, sizes, rows and unit: see `classes_of`."""
    columns, rows, unit = _distinct(columns, sizes, rows, unit)
    largest = _affordable(len(columns), len(rows), min(largest, len(columns)))
    score = np.zeros(len(rows), np.int64)
    smallest = np.zeros(len(rows), np.int64)
    contributions = np.zeros(len(columns))
    everybody = _people(np.ones(len(rows), bool), rows, unit)
    before: dict[tuple[int, ...], npt.NDArray[np.uint8]] = {(): np.packbits(np.full(len(rows), everybody == 1))}
    identifying: set[tuple[int, ...]] = set()
    sets: list[ColumnSet] = []
    for size in range(1, largest + 1):
        weight = prod(len(columns) - i for i in range(size, min(largest, len(columns) - 1) + 1))
        now: dict[tuple[int, ...], npt.NDArray[np.uint8]] = {}
        for chosen in combinations(range(len(columns)), size):
            classes = classes_of([columns[c] for c in chosen], [sizes[c] for c in chosen], rows, unit)
            alone = classes.sizes[classes.of] == 1
            now[chosen] = np.packbits(alone)
            smaller = [chosen[:i] + chosen[i + 1 :] for i in range(size)]
            below = np.bitwise_or.reduce([before[s] for s in smaller])
            minimal = np.unpackbits(now[chosen] & ~below, count=len(rows)).astype(bool)
            score[minimal] += weight
            smallest[minimal & (smallest == 0)] = size
            contributions[list(chosen)] += weight * int(minimal.sum())
            unique = _people(alone, rows, unit) / max(1, everybody)
            wins = unique >= MOST
            sets.append(
                _measured(chosen, classes.sizes, unique, wins and not identifying.intersection(_subsets(chosen)))
            )
            if wins:
                identifying.add(chosen)
        before = now
    special = Special(
        tuple(_people(smallest == size, rows, unit) for size in range(1, largest + 1)),
        tuple((contributions / max(1, int(score.sum()))).tolist()),
        int(score.max(initial=0)),
    )
    return Searched(largest, tuple(sets), special)


def _distinct(
    columns: Sequence[Ints], sizes: Sequence[int], rows: Ints, unit: Ints | None
) -> tuple[list[Ints], Ints, Ints | None]:
    """Merge the entries that agree in all of the columns and in their unit."""
    by = [*columns] if unit is None else [*columns, unit]
    spans = [*sizes] if unit is None else [*sizes, int(unit.max(initial=0)) + 1]
    classes = classes_of(by, spans, rows)
    one = members(classes.of, len(classes.sizes))
    return [c[one] for c in columns], classes.sizes, None if unit is None else unit[one]


def _affordable(columns: int, entries: int, largest: int) -> int:
    while largest > 1 and sum(comb(columns, s) for s in range(1, largest + 1)) * (entries + _EACH) > _EFFORT:
        largest -= 1
    return largest


def _people(chosen: npt.NDArray[np.bool_], rows: Ints, unit: Ints | None) -> int:
    """Return how many records, or units, the chosen entries belong to."""
    return int(rows[chosen].sum()) if unit is None else len(np.unique(unit[chosen]))


def _subsets(chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [s for size in range(1, len(chosen)) for s in combinations(chosen, size)]


def _measured(chosen: tuple[int, ...], sizes: Ints, unique: float, minimal: bool) -> ColumnSet:
    records = int(sizes.sum())
    pairs = records * (records - 1)
    same = int((sizes * (sizes - 1)).sum())
    return ColumnSet(chosen, unique, len(sizes) / max(1, records), 1 - same / pairs if pairs else 0.0, minimal)
