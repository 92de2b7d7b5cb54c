"""How many members of a population are unique, estimated from the sizes of a sample's classes.

The sample is taken to be a simple random one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.models.shares import Floats

_STEPS: Final = 200
_DIRECT: Final = 4096


@dataclass(frozen=True, slots=True, eq=False)
class SizeCounts:
    """How many classes there are of each size that occurs. sizes: ascending; counts: parallel, positive."""

    sizes: Ints
    counts: Ints

    @classmethod
    def of(cls, sizes: Ints) -> SizeCounts:
        different, counts = np.unique(sizes, return_counts=True)
        return cls(different, counts.astype(np.int64))

    @property
    def classes(self) -> int:
        return int(self.counts.sum())

    @property
    def records(self) -> int:
        return int((self.sizes * self.counts).sum())

    def number(self, size: int) -> int:
        """How many classes have that size."""
        return int(self.counts[self.sizes == size].sum())


def zayatz(sample: SizeCounts, population: float) -> float:
    """Estimate the probability that a record that is unique in the sample is unique in the population.

    Source: Zayatz, Census/SRD/RR-91/08, 1991.

    Sizes of classes in the population are taken to be distributed as in the sample; the sample size of a class of
    size i is hypergeometric. Multiply it by the number of sample uniques to get those that are unique in the
    population. The result is 0 if there is no sample unique.
    """
    n, unique = sample.records, sample.number(1)
    if not unique:
        return 0.0
    once = np.array([_once(int(size), n, population) for size in sample.sizes])
    return unique * _once(1, n, population) / float((sample.counts * once).sum())


def _once(size: int, n: int, population: float) -> float:
    """The probability that a class of that size in the population shows once in a sample of n."""
    rest = population - size - n + 1
    if rest < 0:
        return 0.0
    logs = _log_choose(population - size, n - 1) - _log_choose(population, n)
    return size * math.exp(logs)


def _log_choose(n: float, k: float) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def pitman(sample: SizeCounts, population: float) -> float | None:
    """The expected number of uniques in the population, sizes following Pitman's sampling formula (Hoshino, J.

    Official Statistics 17(4), 2001).

    θ and α are fitted by maximum likelihood; the number is Γ(θ + 1) / Γ(θ + α) · N^α. 0 where there is no sample
    unique, None where the fit doesn't converge within 0 < α < 1 and θ > -α, as for samples that are too small or too
    uniform.
    """
    if not sample.number(1):
        return 0.0
    start = _start(sample)
    fitted = next(
        (f for s in (start, (1.0, 0.5), (sample.classes, 0.1), (10.0, 0.9)) if (f := _fit(sample, *s)) is not None),
        None,
    )
    if fitted is None:
        return None
    theta, alpha = fitted
    return math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(population))


def _start(sample: SizeCounts) -> tuple[float, float]:
    """Hoshino's first guess, from the numbers of classes of one and two."""
    n, u, one, two = sample.records, sample.classes, sample.number(1), max(1, sample.number(2))
    c = one * (one - 1) / two
    below = 2 * one * u + one * c - n * c
    theta = (n * u * c - one * (n - 1) * (2 * u + c)) / below if below else 1.0
    return theta, (theta * (one - n) + (n - 1) * one) / (n * u)


def _fit(sample: SizeCounts, theta: float, alpha: float) -> tuple[float, float] | None:
    """The maximum of the likelihood by Newton's method, each step halved until it leads upwards within the domain."""
    if not _inside(theta, alpha):
        return None
    here = _likelihood(sample, theta, alpha)
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(sample, theta, alpha)
        try:
            step = -np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:
            return None
        if float(step @ gradient) < 0:  # not concave here: go up along the gradient, scaled to the parameters
            step = gradient * np.array([theta * theta + 1, alpha * (1 - alpha)]) / (np.abs(gradient).max() + 1)
        scale = 1.0
        while scale > 1e-12:
            new = theta + scale * float(step[0]), alpha + scale * float(step[1])
            there = _likelihood(sample, *new) if _inside(*new) else -math.inf
            if there >= here:
                break
            scale /= 2
        else:
            return (theta, alpha) if _flat(gradient, theta, alpha, sample) else None
        moved = max(abs(new[0] - theta) / (1 + abs(theta)), abs(new[1] - alpha))
        theta, alpha = new
        here = there
        if moved < 1e-13:
            return (theta, alpha) if _flat(_derivatives(sample, theta, alpha)[0], theta, alpha, sample) else None
    return None


def _inside(theta: float, alpha: float) -> bool:
    return 0 < alpha < 1 and theta > -alpha and math.isfinite(theta)


def _flat(gradient: Floats, theta: float, alpha: float, sample: SizeCounts) -> bool:
    """Whether the gradient is nothing beside the number of terms it adds up."""
    return (
        abs(float(gradient[0])) * (1 + abs(theta)) <= 1e-7 * sample.records
        and abs(float(gradient[1])) <= 1e-7 * sample.records
    )


def _likelihood(sample: SizeCounts, theta: float, alpha: float) -> float:
    """Its logarithm, without what doesn't depend on the parameters."""
    new = np.log(theta + alpha * np.arange(1, sample.classes)).sum()
    all_ = math.lgamma(theta + sample.records) - math.lgamma(theta + 1)
    again = sum(
        n * (math.lgamma(s - alpha) - math.lgamma(1 - alpha))
        for s, n in zip(sample.sizes.tolist(), sample.counts.tolist(), strict=True)
    )
    found: float = float(new) - all_ + again
    return found


def _derivatives(sample: SizeCounts, theta: float, alpha: float) -> tuple[Floats, npt.NDArray[np.float64]]:
    i = np.arange(1, sample.classes)
    each = 1 / (theta + alpha * i)
    inverse, squares = _inverse_sums(theta, sample.records)
    below = [_inverse_sums(-alpha, int(size)) for size in sample.sizes]
    first = sum(n * b[0] for n, b in zip(sample.counts.tolist(), below, strict=True))
    second = sum(n * b[1] for n, b in zip(sample.counts.tolist(), below, strict=True))
    gradient = np.array([each.sum() - inverse, (i * each).sum() - first])
    mixed = -(i * each * each).sum()
    return gradient, np.array([[squares - (each * each).sum(), mixed], [mixed, -((i * each) ** 2).sum() - second]])


def _inverse_sums(start: float, n: int) -> tuple[float, float]:
    """Σ 1/(start + i) and Σ 1/(start + i)² over i = 1 … n - 1: term by term, the far ones by Euler and Maclaurin."""
    near = start + np.arange(1, min(n, _DIRECT), dtype=np.float64)
    inverse, squares = float((1 / near).sum()), float((1 / near**2).sum())
    if n > _DIRECT:
        a, b = start + _DIRECT, start + n - 1
        inverse += math.log(b / a) + (1 / a + 1 / b) / 2 + (1 / a**2 - 1 / b**2) / 12
        squares += 1 / a - 1 / b + (1 / a**2 + 1 / b**2) / 2 + (1 / a**3 - 1 / b**3) / 6
    return inverse, squares


def correct_match(sample: SizeCounts, fraction: float) -> float | None:
    """Estimate the probability that a match with a record that is unique in the sample is right.

    By data intrusion simulation (Skinner and Elliot, J. Royal Statistical Society B 64(4), 2002) it is
    π·n₁ / (π·n₁ + 2·(1 - π)·n₂), from classes of one and two. None if there are neither.
    """
    one, two = fraction * sample.number(1), 2 * (1 - fraction) * sample.number(2)
    return one / (one + two) if one + two else None
