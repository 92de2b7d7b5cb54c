"""How far apart two tables are in the counts of one, two and three columns together."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.synthesis.evaluation.coded_table import Coded

if TYPE_CHECKING:
    from piiscan.synthesis.evaluation.coded_table import Ints

MOST: Final = 1_000
"""Of more groups of columns than this, so many are drawn under a fixed seed."""
_DENSE: Final = 4
"""Parts are counted in an array while they are at most so many times the rows."""


class Distance(NamedTuple):
    """Total variation distance (half the sum of differences of shares: 0 for the same, 1 for nothing in common) over
    all groups of `ways` columns. `floor`: the mean that a bootstrap sample of the real rows would have, so what chance
    alone makes."""

    ways: int
    groups: int
    compared: int
    mean: float
    worst: float
    worst_columns: tuple[str, ...]
    floor: float


def distances(real: Coded, synthetic: Coded, bootstrap: Coded, seed: int) -> tuple[Distance, ...]:
    """For groups of one, two and three columns, as far as there are so many."""
    return tuple(_distance(real, synthetic, bootstrap, ways, seed) for ways in (1, 2, 3) if ways <= len(real.names))


def _distance(real: Coded, synthetic: Coded, bootstrap: Coded, ways: int, seed: int) -> Distance:
    n = len(real.names)
    groups = list(_groups(n, ways, seed))
    apart = [between(real, synthetic, group) for group in groups]
    worst = int(np.argmax(apart))
    floor = math.fsum(between(real, bootstrap, group) for group in groups) / len(groups)
    columns = tuple(real.names[i] for i in groups[worst])
    return Distance(ways, math.comb(n, ways), len(groups), math.fsum(apart) / len(apart), apart[worst], columns, floor)


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
    """The total variation distance of the counts of these columns together."""
    x, y = _counts(a, b, columns)
    return float(np.abs(x / a.rows - y / b.rows).sum() / 2)


def _counts(a: Coded, b: Coded, columns: Sequence[int]) -> tuple[Ints, Ints]:
    """How often each part occurs in either; parts that occur in neither may be left out."""
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
