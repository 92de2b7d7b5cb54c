"""Figures out of the sums: how far a column is from what it was, without saying what it holds.

Guarantee: No figure is a cell's value. Means, spreads, lengths and correlations are given for FEWEST cells or more, in
steps of a hundredth: with the masked data they say what the originals' were, and of two cells that would be both of
them. They are aggregates of the originals all the same: anyone who knows all other cells of a column can learn
something of the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from piiscan.core.types import TableInfo
from piiscan.masking.information_loss.column_loss import ColumnChange, Side
from piiscan.masking.information_loss.number_grid import Grid, number_distances
from piiscan.masking.information_loss.table_loss import Comparison
from piiscan.masking.information_loss.value_counts import Floats, frequency_total_variation, value_overlap
from piiscan.masking.plan.plan_types import TablePlan

FEWEST: Final = 30
MOST_CORRELATIONS: Final = 20
_READ: Final = 0.95
"""The share of a column's cells that have to be numbers for the column to be one of numbers."""


class Numbers(NamedTuple):
    """`ks`: Kolmogorov–Smirnov distance, 0 to 1.

    The others in standard deviations before: `wasserstein`, how far a cell has to move on average; `mean`, by how much
    the mean rose; `spread`, the standard deviation after.
    """

    ks: float
    wasserstein: float
    mean: float
    spread: float


class Distance(NamedTuple):
    """Total variation distances, 0 to 1, and the share of values that both sides have.

    `frequencies` compares how often the commonest value occurs, the second, and so on; `values` compares the share of
    each value. `in_common` is the share of all values that occur on both sides.
    """

    frequencies: float
    values: float
    in_common: float
    numbers: Numbers | None


class SideFigures(NamedTuple):
    """`distinct` is an estimate unless `distinct_exact`.

    `mean_length`: characters of a text; None for a column of no texts.
    """

    filled: int
    empty: int
    distinct: int
    distinct_exact: bool
    mean_length: float | None


class ColumnFigures(NamedTuple):
    """The figures of a column; `distance` is None where one side has no values.

    `changed`, `filled_left` and `after` are those of `ColumnChange`.
    """

    changed: int
    filled_left: int
    before: SideFigures
    after: SideFigures | None
    distance: Distance | None


class Correlation(NamedTuple):
    """Pearson's coefficient of two columns, by index, before and after."""

    columns: tuple[int, int]
    before: float
    after: float

    @property
    def change(self) -> float:
        return abs(self.after - self.before)


class TableFigures(NamedTuple):
    """The figures that a report gives for a table.

    `pairs`: of columns of numbers of which one at least has changed; `mean_change` of their correlations;
    `changes`: the largest ones.
    """

    rows: int
    rows_left: int
    columns: tuple[ColumnFigures, ...]
    pairs: int
    mean_change: float | None
    changes: tuple[Correlation, ...]


class Compared(NamedTuple):
    """A table and what became of it.

    `read` is what it was read as; `info` and `plan` have the names that may be shown.
    """

    read: TableInfo
    info: TableInfo
    plan: TablePlan
    figures: TableFigures


def of_table(comparison: Comparison) -> TableFigures:
    """The figures of a table that has been seen to its end."""
    columns = tuple(of_column(change) for change in comparison.columns)
    numbers = [
        i
        for i, change in enumerate(comparison.columns)
        if change.after is not None and _reading(change.before, change.after)
    ]
    found = correlations(comparison, numbers)
    mean = round(sum(c.change for c in found) / len(found), 3) if found else None
    return TableFigures(
        comparison.rows, comparison.rows_left, columns, len(found), mean, tuple(found[:MOST_CORRELATIONS])
    )


def of_column(change: ColumnChange) -> ColumnFigures:
    """The figures of a column."""
    after = None if change.after is None else _side(change.after)
    return ColumnFigures(
        change.changed, change.filled_left, _side(change.before), after, _distance(change.before, change.after)
    )


def _side(side: Side) -> SideFigures:
    length = round(side.characters / side.filled, 1) if side.characters and side.filled >= FEWEST else None
    return SideFigures(side.filled, side.empty, side.values.distinct, not side.values.full, length)


def _distance(before: Side, after: Side | None) -> Distance | None:
    frequencies = None if after is None else frequency_total_variation(before.values, after.values)
    values = None if after is None else value_overlap(before.values, after.values)
    if after is None or frequencies is None or values is None:
        return None
    return Distance(
        round(frequencies, 3), round(values.total_variation, 3), round(values.jaccard, 3), _numbers(before, after)
    )


def correlations(comparison: Comparison, columns: Sequence[int]) -> list[Correlation]:
    """Correlate each pair of columns of which at least one has changed; the largest changes first.

    Correlations come from a sample of rows.
    """
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
    ks, distance = number_distances(*pair)
    mean = (pair[1].mean - pair[0].mean) / spread
    return Numbers(round(ks, 3), round(distance / spread, 2), round(mean, 2) + 0.0, round(pair[1].spread / spread, 2))


def _pearson(x: Floats, y: Floats) -> float | None:
    there = ~(np.isnan(x) | np.isnan(y))
    if np.count_nonzero(there) < FEWEST:
        return None
    x, y = x[there] - x[there].mean(), y[there] - y[there].mean()
    size = float(np.sqrt(np.sum(x * x) * np.sum(y * y)))
    return round(float(np.sum(x * y)) / size, 2) + 0.0 if size > 0 else None
