"""Statistics out of noisy integers, each with the interval that holds it with 95 %. Only what was released is used: nothing here costs anything.

An interval is made of the intervals of its parts, each of which misses with a part of 5 % (Bonferroni); so it's on the wide side. It speaks of
the noise: that values beyond the bounds were cut is told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

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
        """± with 95 %, where `parts` numbers have to hold together."""
        return noise.accuracy(self.mechanism, self.scale, ALPHA / parts)


@dataclass(frozen=True)
class Estimate:
    """A statistic, and how far it may be from the exact one with 95 %. None where the noise leaves nothing to say."""

    value: float | None
    accuracy: float | None


UNKNOWN: Final = Estimate(None, None)


def count(n: Part) -> Estimate:
    """Rows; may be negative, for cutting it off at 0 would make small counts too large on average."""
    return Estimate(n.value, n.within(1))


def total(n: Part, sums: Part, domain: Number) -> Estimate:
    """The sum of a column: of its distances from the middle, and the middle as often as there are rows."""
    middle = domain.value(domain.middle)
    step = float(domain.step)
    return Estimate(
        _told(sums.value * step + middle * n.value, domain),
        _told(sums.within(2) * step + abs(middle) * n.within(2), domain),
    )


def mean(n: Part, sums: Part, domain: Number) -> Estimate:
    """The mean of a column, within its bounds."""
    away, count_off = sums.within(2), n.within(2)
    if n.value <= count_off:
        return UNKNOWN
    low, high = -domain.middle, domain.reach
    value = _cut(sums.value / n.value, low, high)
    ends = [_cut((sums.value + s) / (n.value + c), low, high) for s, c in product((-away, away), (-count_off, count_off))]
    step = float(domain.step)
    middle = domain.value(domain.middle)
    return Estimate(_rounded(middle + value * step), _rounded(max(abs(e - value) for e in ends) * step))


def variance(n: Part, sums: Part, squares: Part, domain: Number) -> Estimate:
    """The variance of a column (of the rows as they are: divided by their number)."""
    off, away, squares_off = n.within(3), sums.within(3), squares.within(3)
    if n.value <= off:
        return UNKNOWN
    most = float(domain.reach) ** 2
    unit = most / SQUARES

    def of(rows: float, s: float, q: float) -> float:
        return _cut(q * unit / rows - (s / rows) ** 2, 0.0, most)

    value = of(n.value, sums.value, squares.value)
    rows = n.value - off, n.value + off
    ends = []
    # Extreme at the ends of each part's interval, or where a part's slope is 0: at a sum of 0, and at 2·sum² / sum of squares rows.
    for s, q in product({sums.value - away, sums.value + away, _cut(0, sums.value - away, sums.value + away)}, (-squares_off, squares_off)):
        squared = (squares.value + q) * unit
        flat = [_cut(2 * s * s / squared, *rows)] if squared > 0 else []
        ends += [of(count, s, squares.value + q) for count in (*rows, *flat)]
    scale = float(domain.step) ** 2
    return Estimate(_rounded(value * scale), _rounded(max(abs(e - value) for e in ends) * scale))


def ranks(scale: float, candidates: int, denominator: int) -> int:
    """How many rows the chosen place of a quantile may be off the best candidate's, with 95 % (see `noise.selected`)."""
    from math import ceil, log

    return ceil(scale * log(candidates / ALPHA) / denominator)


def _cut(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


def _told(x: float, domain: Number) -> float:
    """Without digits below the step that values, and so their sums, are counted in."""
    return _rounded(round(x, max(domain.places, 0)))


def _rounded(x: float) -> float:
    return float(f"{x:.12g}") + 0.0
