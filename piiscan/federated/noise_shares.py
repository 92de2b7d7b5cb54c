"""Noise of which each site draws a share, so that nobody has to be trusted with all of it.

Source: Kairouz, Liu and Steinke 2021, "The Distributed Discrete Gaussian Mechanism for Federated Learning with Secure
Aggregation", proposition 14: a sum of discrete Gaussians is nearly one, and what "nearly" costs is τ.
"""

from __future__ import annotations

import math
from typing import Final

from piiscan.dp.accounting import SLACK

LEAST_SCALE: Final = 3.0
"""Smaller shares aren't drawn: a sum of them is too far from a discrete Gaussian."""
_WIDER: Final = 1.001


def cost(scale: float, honest: int, sensitivity: int, integers: int) -> float:
    """Return the ρ that the sum of integers costs if `honest` sites each add a discrete Gaussian of this scale.

    `sensitivity`: how far one unit moves the vector of `integers` in the L2 norm.

    Guarantee:
        Assumes: `honest` sites draw independently, and an attacker knows everything but their noise.
        Ensures: the sum is ρ-zero-concentrated differentially private (Kairouz, Liu and Steinke 2021).
        Does not protect against: other sums about the same people.
        Test: test_federated_noise.py::test_a_sum_of_shares_costs_no_more_than_is_said
    """
    if honest < 1 or scale < 0.5:
        return math.inf
    tau = 10 * math.fsum(math.exp(-2 * (math.pi * scale) ** 2 * k / (k + 1)) for k in range(1, honest))
    far = sensitivity / (math.sqrt(honest) * scale)
    epsilon = min(math.sqrt(far * far + tau * integers / 2), far + tau * math.sqrt(integers))
    return epsilon * epsilon / 2


def scale(rho: float, honest: int, sensitivity: int, integers: int) -> float:
    """Return the scale of each site's share, so that the sum costs `rho` though only `honest` of them are secret."""
    found = max(LEAST_SCALE, sensitivity / math.sqrt(2 * rho * honest))
    while cost(found, honest, sensitivity, integers) > rho * (1 + SLACK):
        found *= _WIDER
    return found


def total_scale(each: float, sites: int) -> float:
    """Return the standard deviation, at most, of the sum of the shares of so many sites."""
    return each * math.sqrt(sites)
