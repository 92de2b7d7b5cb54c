"""From exact sums to means, standard deviations and correlations, each rounded once; and what such figures give away
of the rows behind them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Final, NamedTuple

from piiscan.aggregates.group_sums import PLACES, Exact, pairs

_BITS: Final = 140
"""Square roots are taken of so many bits: twice what a double holds, and some."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one group the mean and the standard deviation (of a sample: divided by rows − 1) of each column, and the
    correlations of all of them. None where a figure isn't defined: a standard deviation of one row, a correlation with
    a column that doesn't vary."""

    count: int
    mean: tuple[float | None, ...]
    std: tuple[float | None, ...]
    correlation: tuple[tuple[float | None, ...], ...]


class Reconstruction(NamedTuple):
    """What the figures of a group leave open. `cells` of the group's rows are unknown, `figures` are released about
    them; `freedom` is how many numbers would have to be known besides for the rows to be fixed but for their order and
    reflections: 0 says that the figures give the rows away.

    Tables with the same moments differ by a rotation of their rows among each other: r orthonormal vectors in rows − 1
    dimensions, r the rank of the correlations (the dimension of a Stiefel manifold; James, The Topology of Stiefel
    Manifolds, 1976). Whoever knows all rows but two works out these two.
    """

    cells: int
    figures: int
    freedom: int


def figures(exact: Exact) -> Figures:
    """The figures of a group of one row or more."""
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
    """For a group of `rows` rows of which count, means, standard deviations and correlations of `columns` columns are
    released.

    >>> reconstruction(2, 3).freedom  # both rows are given away
    0
    >>> reconstruction(10, 2)
    Reconstruction(cells=20, figures=5, freedom=15)
    """
    rank = min(columns, rows - 1)
    return Reconstruction(rows * columns, columns * (columns + 3) // 2, rank * (rows - 1) - rank * (rank + 1) // 2)


def varies(exact: Exact) -> tuple[bool, ...]:
    """Whether each column has more than one value. A mean with a standard deviation of 0 is everybody's value."""
    own = {i: product for (i, j), product in zip(pairs(len(exact.sums)), exact.products, strict=True) if i == j}
    return tuple(exact.rows * own[i] != s * s for i, s in enumerate(exact.sums))


def _root(numerator: int, denominator: int) -> float:
    """The square root of a fraction, rounded down at far more bits than a double has."""
    shift = max(0, _BITS - numerator.bit_length() + denominator.bit_length())
    shift += shift % 2
    return isqrt((numerator << shift) // denominator) / (1 << shift // 2)
