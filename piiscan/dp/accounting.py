"""Privacy accounting: what releases cost together.

Pure and approximate differential privacy add up ε and δ; zero-concentrated differential privacy adds up ρ.

Sources: Dwork and Roth 2014, theorem 3.16 (ε and δ add up); Rogers et al. 2016 (a budget may be checked as queries
come);
Bun and Steinke 2016 (ρ adds up, lemma 8.3 on: an (ε, δ) release is δ-approximately ε²/2-zCDP); Feldman and Zrnic 2021
(the same for ρ as queries come); Canonne, Kamath and Steinke 2020, proposition 12 (from ρ to ε).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Accounting = Literal["basic", "zcdp"]
"""basic: ε and δ add up (pure if the budget's δ is 0). zcdp: ρ and the δ of thresholds add up, and are converted to
an ε at the budget's δ.
"""

SLACK: Final = 1e-9
"""Relative: a hundred times .01 isn't 1 in floating point."""


class Loss(NamedTuple):
    """The privacy loss of one release.

    It is (`epsilon`, `delta`)-differentially private and, in the other notion, `rho_delta`-approximately `rho`-zCDP.
    """

    epsilon: float
    delta: float
    rho: float
    rho_delta: float


class Budget(NamedTuple):
    """The total privacy loss that all releases of a dataset may have together."""

    epsilon: float
    delta: float
    accounting: Accounting


NOTHING: Final = Loss(0.0, 0.0, 0.0, 0.0)


def total(losses: Iterable[Loss]) -> Loss:
    """Return the sum, which is the same in every order."""
    each = list(zip(*losses, strict=True))
    return Loss(*(math.fsum(part) for part in each)) if each else NOTHING


def spent(loss: Loss, budget: Budget) -> tuple[float, float]:
    """Return the ε and δ of a total under a budget's accounting.

    ε is infinite if the budget's δ leaves nothing for it.
    """
    if budget.accounting == "basic":
        return loss.epsilon, loss.delta
    if loss.rho == 0:
        return 0.0, loss.rho_delta
    left = budget.delta - loss.rho_delta
    return (zcdp_epsilon(loss.rho, left) if left > 0 else math.inf), budget.delta


def fits(loss: Loss, budget: Budget) -> bool:
    """Return whether a total stays within a budget."""
    epsilon, delta = spent(loss, budget)
    return epsilon <= budget.epsilon * (1 + SLACK) and delta <= budget.delta * (1 + SLACK)


def remaining_releases(so_far: Loss, one: Loss, budget: Budget, most: int = 1_000_000) -> int:
    """Return how many more releases of size `one` fit, at most `most`."""
    low, high = 0, 1
    while high <= most and fits(total([so_far, _times(one, high)]), budget):
        low, high = high, high * 2
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(total([so_far, _times(one, middle)]), budget) else (low, middle)
    return low


def _times(loss: Loss, n: int) -> Loss:
    return Loss(*(part * n for part in loss))


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Return the smallest ε that this bound shows for ρ-zCDP at δ.

    Every α gives a valid ε, so a search that misses the best one errs on the safe side.
    """

    def bound(exponent: float) -> float:
        a = math.exp(exponent)  # α − 1
        alpha = 1 + a
        return alpha * rho + math.log(a) - (alpha * math.log1p(a) + math.log(delta)) / a

    low, high = math.log(1e-6), math.log(1e9)
    for _ in range(100):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if bound(left) < bound(right) else (left, high)
    return max(0.0, bound((low + high) / 2))


@lru_cache(maxsize=256)
def zcdp_rho(epsilon: float, delta: float) -> float:
    """Return the largest ρ whose ε at δ is at most `epsilon`."""
    low, high = 0.0, epsilon + 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if middle and zcdp_epsilon(middle, delta) <= epsilon else (low, middle)
    return low
