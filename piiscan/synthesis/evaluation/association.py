"""How strongly columns are associated.

Measured are Pearson's correlation of numbers, and Cramér's V of the counts of any two columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from piiscan.synthesis.evaluation.coded_table import Coded

if TYPE_CHECKING:
    from piiscan.synthesis.evaluation.coded_table import Floats

Matrix: TypeAlias = tuple[tuple[float | None, ...], ...]


class Associations(NamedTuple):
    """The associations of all pairs of columns: symmetric, with ones on the diagonal; None if a column doesn't vary.

    `mean_difference` and `largest_difference` are over pairs of columns for which both tables have a value;
    `largest_columns` is the pair with the largest difference.
    """

    names: tuple[str, ...]
    real: Matrix
    synthetic: Matrix
    mean_difference: float | None
    largest_difference: float | None
    largest_columns: tuple[str, str] | None


def correlations(real: Coded, synthetic: Coded) -> Associations:
    """Return Pearson's correlations of the numeric columns, over rows in which both numbers are present."""
    names = tuple(real.numbers)
    return _both(names, lambda t, i, j: _pearson(t.numbers[names[i]], t.numbers[names[j]]), real, synthetic)


def associations(real: Coded, synthetic: Coded) -> Associations:
    """Return Cramér's V of all columns (Cramér 1946, without bias correction).

    Numbers are counted by their bins; missing cells are a category.
    """
    return _both(real.names, _cramer, real, synthetic)


def _both(
    names: tuple[str, ...], measure: Callable[[Coded, int, int], float | None], real: Coded, synthetic: Coded
) -> Associations:
    pairs = list(combinations(range(len(names)), 2))
    a, b = ({pair: measure(table, *pair) for pair in pairs} for table in (real, synthetic))
    apart = {pair: abs(x - y) for pair in pairs if (x := a[pair]) is not None and (y := b[pair]) is not None}
    largest = max(apart, key=apart.__getitem__, default=None)
    return Associations(
        names,
        _matrix(len(names), a),
        _matrix(len(names), b),
        math.fsum(apart.values()) / len(apart) if apart else None,
        None if largest is None else apart[largest],
        None if largest is None else (names[largest[0]], names[largest[1]]),
    )


def _matrix(n: int, found: dict[tuple[int, int], float | None]) -> Matrix:
    def cell(i: int, j: int) -> float | None:
        return 1.0 if i == j else found[min(i, j), max(i, j)]

    return tuple(tuple(cell(i, j) for j in range(n)) for i in range(n))


def _pearson(x: Floats, y: Floats) -> float | None:
    there = ~(np.isnan(x) | np.isnan(y))
    if not there.any():
        return None
    x, y = x[there] - x[there].mean(), y[there] - y[there].mean()
    spread = math.sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, float(x @ y) / spread)) if spread > 0 else None


def _cramer(table: Coded, i: int, j: int) -> float | None:
    rows, columns = len(table.labels[i]), len(table.labels[j])
    counts = np.bincount(table.codes[i] * columns + table.codes[j], minlength=rows * columns).reshape(rows, columns)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    freedom = min(counts.shape) - 1
    if freedom < 1:
        return None
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / table.rows
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    return min(1.0, math.sqrt(chi2 / table.rows / freedom))
