"""Figures out of the sums: how far a column is from what it was, without saying what it holds.

Guarantee: No figure is a cell's value. Means, spreads, lengths and correlations are told of FEWEST cells or more, in steps of a
hundredth: with the masked data they say what the originals' were, and of two cells that would be both of them. They are aggregates of the originals all the
same: who knows all other cells of a column learns something of the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from piiscan.utility.column import ColumnChange, Side
from piiscan.utility.grid import Grid, numbers_apart
from piiscan.utility.table import Comparison
from piiscan.utility.values import Floats, frequencies_apart, values_apart

FEWEST: Final = 30
_READ: Final = 0.95
"""The share of a column's cells that have to be numbers for the column to be one of numbers."""


class Numbers(NamedTuple):
    """`ks`: Kolmogorov–Smirnov distance, 0 to 1. The others in standard deviations before: `wasserstein`, how far a cell has to move on average;
    `mean`, by how much the mean rose; `spread`, the standard deviation after."""

    ks: float
    wasserstein: float
    mean: float
    spread: float


class Figures(NamedTuple):
    """Total variation distances, 0 to 1: `frequencies` between how often the commonest value occurs, the second, and so on; `values` between the
    shares that each value has. `in_common`: the share of all values that stand on both sides."""

    frequencies: float
    values: float
    in_common: float
    numbers: Numbers | None


class Correlation(NamedTuple):
    """Pearson's coefficient of two columns, by index, before and after."""

    columns: tuple[int, int]
    before: float
    after: float

    @property
    def change(self) -> float:
        return abs(self.after - self.before)


def figures(change: ColumnChange) -> Figures | None:
    """None where one side has no values."""
    before, after = change.before, change.after
    if after is None:
        return None
    frequencies, values = frequencies_apart(before.values, after.values), values_apart(before.values, after.values)
    if frequencies is None or values is None:
        return None
    in_common, apart = values
    return Figures(round(frequencies, 3), round(apart, 3), round(in_common, 3), _numbers(before, after))


def mean_length(side: Side) -> float | None:
    """Characters of a text, on average; None for a column of no texts."""
    return round(side.characters / side.filled, 1) if side.characters and side.filled >= FEWEST else None


def correlations(comparison: Comparison, columns: Sequence[int]) -> list[Correlation]:
    """Of each two of some columns, of which one at least has changed, as far as a sample of rows tells; the largest changes first."""
    numbers = [(i, *found) for i in columns if (found := comparison.numbers(i)) is not None]
    arrays = [(i, before.to_numpy(), after.to_numpy(), not before.equals(after)) for i, before, after in numbers]
    out = []
    for n, (i, before_i, after_i, changed_i) in enumerate(arrays):
        for j, before_j, after_j, changed_j in arrays[n + 1 :]:
            if changed_i or changed_j:
                before, after = _pearson(before_i, before_j), _pearson(after_i, after_j)
                if before is not None and after is not None:
                    out.append(Correlation((i, j), before, after))
    return sorted(out, key=lambda c: (-c.change, c.columns))


def is_of_numbers(change: ColumnChange) -> bool:
    return change.after is not None and _reading(change.before, change.after) is not None


def _reading(before: Side, after: Side) -> tuple[Grid, Grid] | None:
    """The reading by which nearly all cells of both sides are numbers; of several, that of the most cells."""
    found = [
        (before.readings[name], after.readings[name])
        for name in before.readings
        if name in after.readings
        and before.readings[name].total >= _READ * before.filled
        and after.readings[name].total >= _READ * after.filled
    ]
    return max(found, key=lambda pair: pair[0].total + pair[1].total, default=None)


def _numbers(before: Side, after: Side) -> Numbers | None:
    pair = _reading(before, after)
    if pair is None or min(before.filled, after.filled) < FEWEST or not (spread := pair[0].spread):
        return None
    ks, distance = numbers_apart(*pair)
    mean = (pair[1].mean - pair[0].mean) / spread
    return Numbers(round(ks, 3), round(distance / spread, 2), round(mean, 2) + 0.0, round(pair[1].spread / spread, 2))


def _pearson(x: Floats, y: Floats) -> float | None:
    there = ~(np.isnan(x) | np.isnan(y))
    if np.count_nonzero(there) < FEWEST:
        return None
    x, y = x[there] - x[there].mean(), y[there] - y[there].mean()
    size = float(np.sqrt(np.sum(x * x) * np.sum(y * y)))
    return round(float(np.sum(x * y)) / size, 2) + 0.0 if size > 0 else None
