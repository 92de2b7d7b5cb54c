"""From exact sums to means, standard deviations and correlations, each rounded once.

It also measures how far such figures determine the rows behind them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Final, NamedTuple

from piiscan.aggregates.group_sums import PLACES, Exact, pairs

_BITS: Final = 140
"""Square roots are computed with this many bits: more than twice what a double contains."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one group.

    They are the mean and the standard deviation (of a sample: divided by rows − 1) of each column, and the
    correlations of all of them. None if a figure isn't defined: a standard deviation of one row, a correlation with a
    column that doesn't vary.
    """

    count: int
    mean: tuple[float | None, ...]
    std: tuple[float | None, ...]
    correlation: tuple[tuple[float | None, ...], ...]


class Reconstruction(NamedTuple):
    """How far the figures of a group leave its rows undetermined.

    `cells` of the group's rows are unknown, `figures` are released about them; `freedom` is how many more numbers an
    attacker would need to determine the rows up to their order and reflections: 0 means that the figures disclose the
    rows.

    Tables with the same moments differ by a rotation of their rows: r orthonormal vectors in rows − 1 dimensions,
    where r is the rank of the correlations (the dimension of a Stiefel manifold; James, The Topology of Stiefel
    Manifolds, 1976). An attacker who knows all rows except two can compute these two.
    """

    cells: int
    figures: int
    freedom: int


def figures(exact: Exact) -> Figures:
    """Return the figures of a group of at least one row."""
    n, width = exact.rows, len(exact.sums)
    mean = tuple(s / (n << PLACES) for s in exact.sums)
    spread = {
        pair: n * product - exact.sums[pair[0]] * exact.sums[pair[1]]
        for pair, product in zip(pairs(width), exact.products, strict=True)
    }
    if n < 2:
        return Figures(
            n, mean, (None,) * width, tuple(tuple(1.0 if i == j else None for j in range(width)) for i in range(width))
        )
    std = tuple(_root(spread[i, i], n * (n - 1) << 2 * PLACES) for i in range(width))

    def correlation(i: int, j: int) -> float | None:
        if i == j:
            return 1.0
        both, squares = spread[min(i, j), max(i, j)], spread[i, i] * spread[j, j]
        if not squares:
            return None
        return _root(both * both, squares) * (1 if both >= 0 else -1)

    return Figures(n, mean, std, tuple(tuple(correlation(i, j) for j in range(width)) for i in range(width)))


def reconstruction(rows: int, columns: int) -> Reconstruction:
    """Measure what remains unknown about a group of `rows` rows.

    Released are the count, means, standard deviations and correlations of `columns` columns.

    >>> reconstruction(2, 3).freedom  # both rows are disclosed
    0
    >>> reconstruction(10, 2)
    Reconstruction(cells=20, figures=5, freedom=15)
    """
    rank = min(columns, rows - 1)
    return Reconstruction(rows * columns, columns * (columns + 3) // 2, rank * (rows - 1) - rank * (rank + 1) // 2)


def varies(exact: Exact) -> tuple[bool, ...]:
    """Return whether each column has several values. A mean with a standard deviation of 0 is every row's value."""
    own = {i: product for (i, j), product in zip(pairs(len(exact.sums)), exact.products, strict=True) if i == j}
    return tuple(exact.rows * own[i] != s * s for i, s in enumerate(exact.sums))


def _root(numerator: int, denominator: int) -> float:
    """Return the square root of a fraction, rounded down at far more bits than a double has."""
    shift = max(0, _BITS - numerator.bit_length() + denominator.bit_length())
    shift += shift % 2
    return isqrt((numerator << shift) // denominator) / (1 << shift // 2)
