"""How similar single columns are.

Compared are the shares of bins and words, and for numbers also mean, standard deviation and the cumulative
distribution.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.dp.domains import Number
from piiscan.synthesis.evaluation.coded_table import Coded, Declared
from piiscan.synthesis.evaluation.marginals import between

if TYPE_CHECKING:
    from piiscan.synthesis.evaluation.coded_table import Floats

POINTS: Final = 101


class Moments(NamedTuple):
    """The moments of a column's numbers; None if there are none.

    Logarithms (base 10, of the absolute value) are None for 0.
    """

    mean: float | None
    std: float | None
    log_mean: float | None
    log_std: float | None


class Numbers(NamedTuple):
    """The distributions of both columns' numbers.

    `cumulative`: shares of the numbers up to each of `points`, evenly from bound to bound. `ks`: the largest
    difference anywhere (Kolmogorov-Smirnov). `beyond`: the share of the real numbers outside the declared bounds,
    which a release can't reproduce.
    """

    real: Moments
    synthetic: Moments
    points: tuple[float, ...]
    cumulative_real: tuple[float, ...]
    cumulative_synthetic: tuple[float, ...]
    ks: float | None
    beyond: float | None


class ColumnComparison(NamedTuple):
    """`real` and `synthetic`: the share of rows of each label. `distance`: half the sum of their differences."""

    name: str
    labels: tuple[str, ...]
    real: tuple[float, ...]
    synthetic: tuple[float, ...]
    distance: float
    numbers: Numbers | None


def columns(real: Coded, synthetic: Coded, domains: Declared) -> tuple[ColumnComparison, ...]:
    """Compare columns in the order in which they are declared."""
    return tuple(_column(real, synthetic, i, domain) for i, domain in enumerate(domains.values()))


def _column(real: Coded, synthetic: Coded, i: int, domain: object) -> ColumnComparison:
    name, labels = real.names[i], real.labels[i]
    shares = [tuple((np.bincount(t.codes[i], minlength=len(labels)) / t.rows).tolist()) for t in (real, synthetic)]
    numbers = _numbers(real.numbers[name], synthetic.numbers[name], domain) if isinstance(domain, Number) else None
    return ColumnComparison(name, labels, shares[0], shares[1], between(real, synthetic, [i]), numbers)


def _numbers(real: Floats, synthetic: Floats, domain: Number) -> Numbers:
    a, b = (np.sort(x[~np.isnan(x)]) for x in (real, synthetic))
    points = np.linspace(domain.low, domain.high, POINTS)
    ks = (
        float(np.abs(_upto(a, every) - _upto(b, every)).max())
        if len(a) and len(b) and len(every := np.concatenate([a, b]))
        else None
    )
    return Numbers(
        real=_moments(a),
        synthetic=_moments(b),
        points=tuple(points.tolist()),
        cumulative_real=tuple(_upto(a, points).tolist()),
        cumulative_synthetic=tuple(_upto(b, points).tolist()),
        ks=ks,
        beyond=float(((a < domain.low) | (a > domain.high)).mean()) if len(a) else None,
    )


def _upto(ascending: Floats, points: Floats) -> Floats:
    """Return the share of numbers up to each point; 0 if there are none."""
    shares: Floats = np.searchsorted(ascending, points, side="right") / max(len(ascending), 1)
    return shares


def _moments(numbers: Floats) -> Moments:
    if not len(numbers):
        return Moments(None, None, None, None)
    mean = math.fsum(numbers) / len(numbers)
    std = math.sqrt(math.fsum((numbers - mean) ** 2) / len(numbers))
    return Moments(mean, std, _log(mean), _log(std))


def _log(number: float) -> float | None:
    return math.log10(abs(number)) if number else None
