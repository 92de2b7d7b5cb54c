"""Statistics computed from noisy integers, each with a 95 % interval.

Only released numbers are used, so nothing here costs anything. An interval combines the intervals of its parts, each
of which misses with a part of the 5 % (Bonferroni), so it is conservative. It covers the noise; the effect of clamping
values to the bounds is reported separately.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

from piiscan.dp import noise
from piiscan.dp.domains import SQUARES, Number
from piiscan.dp.noise import Mechanism

ALPHA: Final = 0.05


@dataclass(frozen=True)
class Part:
    """A noisy integer and the scale of its noise."""

    value: int
    scale: float
    mechanism: Mechanism

    def within(self, parts: int) -> int:
        """Return the ± that contains the noise with 95 %, if `parts` numbers have to hold at once."""
        return noise.accuracy(self.mechanism, self.scale, ALPHA / parts)


@dataclass(frozen=True)
class Estimate:
    """A statistic, and how far it may be from the exact one with 95 %. None if the noise is too large to say."""

    value: float | None
    accuracy: float | None


UNKNOWN: Final = Estimate(None, None)


def count(n: Part) -> Estimate:
    """The number of rows. It may be negative: cutting it off at 0 would make small counts too large on average."""
    return Estimate(n.value, n.within(1))


def total(n: Part, sums: Part, domain: Number) -> Estimate:
    """The sum of a column: the sum of its distances from the middle, plus the middle times the number of rows."""
    middle = domain.value(domain.middle)
    step = float(domain.step)
    return Estimate(
        _to_step(sums.value * step + middle * n.value, domain),
        _to_step(sums.within(2) * step + abs(middle) * n.within(2), domain),
    )


def mean(n: Part, sums: Part, domain: Number) -> Estimate:
    """The mean of a column, within its bounds."""
    away, count_off = sums.within(2), n.within(2)
    if n.value <= count_off:
        return UNKNOWN
    low, high = -domain.middle, domain.half_range
    value = _cut(sums.value / n.value, low, high)
    ends = [
        _cut((sums.value + s) / (n.value + c), low, high) for s, c in product((-away, away), (-count_off, count_off))
    ]
    step = float(domain.step)
    middle = domain.value(domain.middle)
    return Estimate(_rounded(middle + value * step), _rounded(max(abs(e - value) for e in ends) * step))


def variance(n: Part, sums: Part, squares: Part, domain: Number) -> Estimate:
    """The variance of a column, divided by the number of rows."""
    off, away, squares_off = n.within(3), sums.within(3), squares.within(3)
    if n.value <= off:
        return UNKNOWN
    most = float(domain.half_range) ** 2
    unit = most / SQUARES

    def of(rows: float, s: float, q: float) -> float:
        return _cut(q * unit / rows - (s / rows) ** 2, 0.0, most)

    value = of(n.value, sums.value, squares.value)
    rows = n.value - off, n.value + off
    ends = []
    # Extreme at the ends of each part's interval, or where a part's slope is 0: at a sum of 0, and at 2·sum² / sum of
    # squares rows.
    for s, q in product(
        {sums.value - away, sums.value + away, _cut(0, sums.value - away, sums.value + away)},
        (-squares_off, squares_off),
    ):
        squared = (squares.value + q) * unit
        flat = [_cut(2 * s * s / squared, *rows)] if squared > 0 else []
        ends += [of(count, s, squares.value + q) for count in (*rows, *flat)]
    scale = float(domain.step) ** 2
    return Estimate(_rounded(value * scale), _rounded(max(abs(e - value) for e in ends) * scale))


def std(n: Part, sums: Part, squares: Part, domain: Number) -> Estimate:
    """The sample standard deviation of a column: divided by the rows − 1."""
    found, off = variance(n, sums, squares, domain), n.within(3)
    if found.value is None or found.accuracy is None or n.value - off < 2:
        return UNKNOWN

    def of(rows: int, squared: float) -> float:
        return math.sqrt(max(0.0, squared) * rows / (rows - 1))

    value = of(n.value, found.value)
    ends = of(n.value + off, found.value - found.accuracy), of(n.value - off, found.value + found.accuracy)
    return Estimate(_rounded(value), _rounded(max(abs(e - value) for e in ends)))


def correlation(
    n: Part, sums: tuple[Part, Part], squares: tuple[Part, Part], products: Part, domains: tuple[Number, Number]
) -> Estimate:
    """The correlation of two columns, within −1 and 1, in rows that have both."""
    off = n.within(6)
    if n.value <= off:
        return UNKNOWN
    rows = _Interval(n.value - off, n.value + off)
    means = [_around(s, d.half_range).over(rows) for s, d in zip(sums, domains, strict=True)]
    spreads = [_around(q, SQUARES).over(rows).less(m.times(m)) for q, m in zip(squares, means, strict=True)]
    together = _around(products, SQUARES).over(rows).less(means[0].times(means[1]))
    a, b = (s.value / d.half_range / n.value for s, d in zip(sums, domains, strict=True))
    x, y = (q.value / SQUARES / n.value - m * m for q, m in zip(squares, (a, b), strict=True))
    if x <= 0 or y <= 0:
        return UNKNOWN
    value = _cut((products.value / SQUARES / n.value - a * b) / math.sqrt(x * y), -1.0, 1.0)
    ends = [-1.0, 1.0]
    if min(s.low for s in spreads) > 0:
        scale = spreads[0].times(spreads[1])
        ends = [_cut(c / math.sqrt(s), -1.0, 1.0) for c, s in product(together, scale)]
    return Estimate(_rounded(value), _rounded(max(abs(e - value) for e in ends)))


class _Interval(NamedTuple):
    """All numbers from one to another."""

    low: float
    high: float

    def over(self, positive: _Interval) -> _Interval:
        return self.times(_Interval(1 / positive.high, 1 / positive.low))

    def times(self, other: _Interval) -> _Interval:
        ends = [a * b for a, b in product(self, other)]
        return _Interval(min(ends), max(ends))

    def less(self, other: _Interval) -> _Interval:
        return _Interval(self.low - other.high, self.high - other.low)


def _around(part: Part, unit: int) -> _Interval:
    """The interval around a noisy integer that misses the exact one with at most a sixth of 5 %."""
    off = part.within(6)
    return _Interval((part.value - off) / unit, (part.value + off) / unit)


def ranks(scale: float, candidates: int, denominator: int) -> int:
    """Return how many ranks the selected candidate of a quantile may be from the best one, with 95 %.

    See `noise.selected`.
    """
    from math import ceil, log

    return ceil(scale * log(candidates / ALPHA) / denominator)


def _cut(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


def _to_step(x: float, domain: Number) -> float:
    """Round away digits below the step in which values, and so their sums, are counted."""
    return _rounded(round(x, max(domain.places, 0)))


def _rounded(x: float) -> float:
    return float(f"{x:.12g}") + 0.0
