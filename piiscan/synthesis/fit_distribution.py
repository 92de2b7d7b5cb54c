"""Fits the distribution that is closest to noisy tables, with the largest entropy among equally close ones.

The noisy tables y of n rows, with noise of standard deviation σ, are met as closely as their noise allows: the fit is
the p that minimises λ · n · KL(p ‖ p₀) + Σ (n · p − y)² / 2σ², where p₀ is the product of the single columns and σ
is at least about `RESOLUTION` · n.
Its dual has no constraints, and p is the product of p₀ and a factor exp(θ) for each table, so `tree` can represent it.

Sources: Dudík, Phillips and Schapire 2007 (maximum entropy with relaxed constraints); McKenna, Sheldon and Miklau
2019 (of noisy tables, on a junction tree); Nocedal and Wright 2006, algorithm 7.4 (L-BFGS).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.synthesis import junction_tree as t
from piiscan.synthesis.junction_tree import Scope, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from piiscan.synthesis.junction_tree import Floats

LENIENCE: Final = 1 / 64
"""λ. 0 would copy the noise; 1 would replace tables by p₀ wherever they say no more than a sample of n rows does."""
RESOLUTION: Final = 5e-4
"""A share of the rows that is added to σ: tables with less noise would take hundreds of steps to be met that closely,
and be met worse in `STEPS` than with it.
"""
STEPS: Final = 60
"""Of a fit that rows are drawn from."""
_REMEMBERED: Final = 8
FARTHEST: Final = 80.0
"""exp(−80) is practically 0."""
_MET: Final = 1e-9
"""A fit whose counts are so many rows off, at most, has ended: further steps would divide by next to nothing."""
_FLAT: Final = 1e-100
"""Steps along which the slope changes no more say nothing of where it is 0."""
_STRIDE: Final = 5.0
"""No θ changes by more in a step: where exp(θ) is far from its tangent, known slopes mislead."""


class Table(NamedTuple):
    """Noisy counts of rows by the columns of `scope`, in the shape of their codes.

    `sigma` is the standard deviation of the noise, of all counts or of each.
    """

    scope: Scope
    counts: Floats
    sigma: float | Floats


class Fit(NamedTuple):
    """`theta`: for each table the logarithms of its factor."""

    tree: Tree
    start: Mapping[Scope, Floats]
    theta: Mapping[Scope, Floats]

    @property
    def factors(self) -> dict[Scope, Floats]:
        """The factors, up to proportion.

        The largest entry of each table is 1, so that products stay within floating point.
        """
        own = {scope: np.exp(np.maximum(theta - theta.max(), -FARTHEST)) for scope, theta in self.theta.items()}
        return {**own, **{scope: shares * own.get(scope, 1.0) for scope, shares in self.start.items()}}

    @property
    def tables(self) -> list[Floats]:
        return t.beliefs(self.tree, self.factors)[0]


def singles(tables: Sequence[Table]) -> tuple[float, dict[Scope, Floats]]:
    """Return the number of rows and the share of each code, by noisy counts of single columns."""
    rows = number_of_rows(tables)
    return rows, shares_of(tables, rows)


def number_of_rows(tables: Sequence[Table]) -> float:
    """Return the number of rows, at least 1: the mean of the columns' sums, weighted by the noise in these.

    `sigma` of each table is that of the noise as it was drawn: shrinking counts leaves their sum as noisy as it was.
    """
    weights = [1 / float(np.sum(np.broadcast_to(table.sigma, table.counts.shape) ** 2)) for table in tables]
    return max(1.0, float(np.average([table.counts.sum() for table in tables], weights=weights)))


def shares_of(tables: Sequence[Table], rows: float) -> dict[Scope, Floats]:
    """Return the share of each code: the nearest non-negative ones to the noisy counts of single columns."""
    return {table.scope: _shares(table.counts / rows) for table in tables}


def fitted(
    sizes: Sequence[int],
    rows: float,
    start: Mapping[Scope, Floats],
    tables: Sequence[Table],
    before: Fit | None = None,
    steps: int = STEPS,
) -> Fit:
    """Fit the distribution to all tables, starting from an earlier one, in so many steps at most.

    `start` is p₀: a product of tables, of single columns and of combinations that can't occur. Counts of cells that it
    rules out say nothing: fitted to the noise in them, their θ would grow until all others are small beside it.
    """
    found = Fit(t.tree(sizes, [*start, *(table.scope for table in tables)]), start, {})
    scopes = [table.scope for table in tables]
    ends = np.cumsum([table.counts.size for table in tables])[:-1]
    targets = np.concatenate([np.where(possible(start, own.scope), own.counts, 0.0).ravel() for own in tables])
    slack = np.concatenate([np.broadcast_to(slack_of(own, rows), own.counts.shape).ravel() for own in tables])

    def parts(theta: Floats) -> Fit:
        cut = np.split(theta, ends)
        return found._replace(
            theta={table.scope: part.reshape(table.counts.shape) for table, part in zip(tables, cut, strict=True)}
        )

    def dual(theta: Floats) -> Point:
        point = parts(theta)
        tables, log = t.beliefs(found.tree, point.factors)
        expected = rows * np.concatenate([t.marginal(found.tree, tables, scope).ravel() for scope in scopes])
        log += sum(float(own.max()) for own in point.theta.values())
        value = rows * log - float(np.sum(theta * targets)) + float(np.sum(slack * theta**2)) / 2
        return Point(theta, value, expected - targets + slack * theta, 1 / (np.maximum(expected, 1.0) + slack))

    known = before.theta if before is not None else {}
    first = np.concatenate([known.get(table.scope, np.zeros(table.counts.shape)).ravel() for table in tables])
    return parts(minimised(dual, first, len(tables), steps))


def possible(start: Mapping[Scope, Floats], scope: Scope) -> NDArray[np.bool_]:
    """Return which cells of a scope p₀ doesn't rule out.

    `start`: the tables of p₀. The result has the shape of the codes of `scope`, with length 1 for a column that none of
    the tables within `scope` has.
    """
    found = np.ones([1] * len(scope), dtype=bool)
    for own, shares in start.items():
        if set(own) <= set(scope):
            found = found & (shares > 0).reshape([shares.shape[own.index(c)] if c in own else 1 for c in scope])
    return found


def minimised(dual: Callable[[Floats], Point], first: Floats, tables: int, steps: int = STEPS) -> Floats:
    """Return θ after some steps of L-BFGS from `first`. `tables`: how many of them each row counts in."""
    point = dual(first)
    past: deque[tuple[Floats, Floats]] = deque(maxlen=_REMEMBERED)
    for _ in range(steps):
        if float(np.abs(point.gradient).max(initial=0.0)) < _MET:
            break
        way = _direction(point, past, tables)
        slope, length = float(np.sum(point.gradient * way)), _STRIDE / max(_STRIDE, float(np.abs(way).max()))
        while (later := dual(point.theta - length * way)).value > point.value - 1e-4 * length * slope:
            length /= 2
            if length < 1e-6:
                return point.theta
        moved, bent = later.theta - point.theta, later.gradient - point.gradient
        if float(np.sum(moved * bent)) > _FLAT:
            past.append((moved, bent))
        point = later
    return point.theta


def slack_of(table: Table, rows: float) -> float | Floats:
    """Return λσ² for a table of `rows` rows, of all counts or of each."""
    found: float | Floats = LENIENCE * (np.square(table.sigma) + (RESOLUTION * rows) ** 2)
    return found


class Point(NamedTuple):
    """The dual at `theta`, its gradient, and a diagonal scaling (the inverse of a diagonal of curvatures)."""

    theta: Floats
    value: float
    gradient: Floats
    scale: Floats


def _direction(point: Point, past: Sequence[tuple[Floats, Floats]], tables: int) -> Floats:
    """Compute the L-BFGS direction: two loops over the last steps and the changes of the gradient."""
    way, shares = point.gradient.copy(), []
    for moved, bent in reversed(past):
        shares.append(float(np.sum(moved * way) / np.sum(moved * bent)))
        way -= shares[-1] * bent
    way *= point.scale
    if not past:
        return way / tables  # each row counts in every table
    moved, bent = past[-1]
    way *= float(np.sum(moved * bent) / np.sum(bent * point.scale * bent))
    for (moved, bent), share in zip(past, reversed(shares), strict=True):
        way += moved * (share - float(np.sum(bent * way) / np.sum(moved * bent)))
    return way


def _shares(noisy: Floats) -> Floats:
    """Return the nearest non-negative numbers that add up to 1 (Held, Wolfe and Crowder 1974)."""
    falling = np.sort(noisy)[::-1]
    over = np.cumsum(falling) - 1
    last = int(np.nonzero(falling * np.arange(1, len(falling) + 1) > over)[0][-1])
    result: Floats = np.maximum(noisy - over[last] / (last + 1), 0.0)
    return result
