"""How far apart two tables are in the joint counts of one, two and three columns."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.synthesis.evaluation.coded_table import Coded

if TYPE_CHECKING:
    from piiscan.synthesis.evaluation.coded_table import Ints

MOST: Final = 1_000
"""If there are more groups of columns than this, this many are drawn under a fixed seed."""
_DENSE: Final = 4
"""Cells are counted in an array if there are at most this many times the rows."""


class Distance(NamedTuple):
    """The total variation distance over all groups of `ways` columns.

    It is half the sum of differences of shares: 0 for equal tables, 1 for disjoint ones. `floor`: the mean distance
    that a bootstrap sample of the real rows has, the effect of chance alone.
    """

    ways: int
    groups: int
    compared: int
    mean: float
    worst: float
    worst_columns: tuple[str, ...]
    floor: float


class Pairs(NamedTuple):
    """The total variation distance of each pair of columns: symmetric, single columns on the diagonal.

    `chance`: that of a bootstrap sample of the real rows.
    """

    names: tuple[str, ...]
    synthetic: tuple[tuple[float, ...], ...]
    chance: tuple[tuple[float, ...], ...]


class Crossed(NamedTuple):
    """The total variation distance of each pair of one of some columns (`rows`) and one of others (`columns`).

    `synthetic`, `chance`: as in `Pairs`, in rows of one for each of `columns`; both are empty where there are more than
    1,000 pairs, of which `distance` then has this many.
    """

    distance: Distance
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    synthetic: tuple[tuple[float, ...], ...]
    chance: tuple[tuple[float, ...], ...]


def crossed(
    real: Coded, synthetic: Coded, bootstrap: Coded, rows: Sequence[int], columns: Sequence[int], seed: int
) -> Crossed:
    """Return the distance of each pair of a column of `rows` and one of `columns`, by number."""
    every = list(product(rows, columns))
    some = every if len(every) <= MOST else sorted(random.Random(seed).sample(every, MOST))
    whole = len(some) == len(every)

    def matrix(other: Coded) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(between(real, other, (i, j)) for j in columns) for i in rows) if whole else ()

    names = [tuple(real.names[c] for c in of) for of in (rows, columns)]
    distance = _over(real, synthetic, bootstrap, some, len(every))
    return Crossed(distance, names[0], names[1], matrix(synthetic), matrix(bootstrap))


def pairs(real: Coded, synthetic: Coded, bootstrap: Coded) -> Pairs | None:
    """Return the distance of each pair; None if there is no pair, or there are more than 1,000."""
    n = len(real.names)
    if not 0 < math.comb(n, 2) <= MOST:
        return None

    def matrix(other: Coded) -> tuple[tuple[float, ...], ...]:
        found = {(i, j): between(real, other, (i, j) if i < j else (i,)) for i in range(n) for j in range(i, n)}
        return tuple(tuple(found[min(i, j), max(i, j)] for j in range(n)) for i in range(n))

    return Pairs(real.names, matrix(synthetic), matrix(bootstrap))


def distances(real: Coded, synthetic: Coded, bootstrap: Coded, seed: int) -> tuple[Distance, ...]:
    """Return the distances for groups of one, two and three columns, as far as the table has that many."""
    return tuple(_distance(real, synthetic, bootstrap, ways, seed) for ways in (1, 2, 3) if ways <= len(real.names))


def _distance(real: Coded, synthetic: Coded, bootstrap: Coded, ways: int, seed: int) -> Distance:
    n = len(real.names)
    return _over(real, synthetic, bootstrap, list(_groups(n, ways, seed)), math.comb(n, ways))


def _over(real: Coded, synthetic: Coded, bootstrap: Coded, groups: Sequence[tuple[int, ...]], of: int) -> Distance:
    """Return the distance over some groups of columns, out of so many."""
    apart = [between(real, synthetic, group) for group in groups]
    worst = int(np.argmax(apart))
    floor = math.fsum(between(real, bootstrap, group) for group in groups) / len(groups)
    columns = tuple(real.names[i] for i in groups[worst])
    return Distance(len(groups[0]), of, len(groups), math.fsum(apart) / len(apart), apart[worst], columns, floor)


def _groups(n: int, ways: int, seed: int) -> Iterator[tuple[int, ...]]:
    if math.comb(n, ways) <= MOST:
        yield from combinations(range(n), ways)
        return
    drawn: set[tuple[int, ...]] = set()
    source = random.Random(f"{seed} {ways}")
    while len(drawn) < MOST:
        drawn.add(tuple(sorted(source.sample(range(n), ways))))
    yield from sorted(drawn)


def between(a: Coded, b: Coded, columns: Sequence[int]) -> float:
    """Return the total variation distance of the joint counts of these columns."""
    x, y = _counts(a, b, columns)
    return float(np.abs(x / a.rows - y / b.rows).sum() / 2)


def _counts(a: Coded, b: Coded, columns: Sequence[int]) -> tuple[Ints, Ints]:
    """Return how often each combination occurs in either table; those that occur in neither may be left out."""
    cell = np.zeros(a.rows + b.rows, dtype=np.int64)
    parts = 1
    for column in columns:
        size = len(a.labels[column])
        cell = cell * size + np.concatenate([a.codes[column], b.codes[column]])
        parts *= size
        if parts > _DENSE * len(cell):
            found, cell = np.unique(cell, return_inverse=True)
            parts = len(found)
    return np.bincount(cell[: a.rows], minlength=parts), np.bincount(cell[a.rows :], minlength=parts)
