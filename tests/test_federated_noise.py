"""Noise of which each site draws a share: what a sum of shares costs, and how it is distributed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piiscan.dp import noise
from piiscan.federated import noise_shares


def discrete_gaussian(scale: float) -> np.ndarray:
    far = math.ceil(30 * scale)
    made = np.exp(-(np.arange(-far, far + 1) ** 2) / (2 * scale**2))
    return made / made.sum()


def summed(scale: float, honest: int) -> np.ndarray:
    made = one = discrete_gaussian(scale)
    for _ in range(honest - 1):
        made = np.convolve(made, one)
    return made


def renyi(p: np.ndarray, moved: int, alpha: float) -> float:
    """The Rényi divergence of a distribution over integers from itself, moved."""
    a, b = p[moved:], p[: len(p) - moved]
    there = (a > 1e-300) & (b > 1e-300)
    return math.log(np.sum(np.exp(alpha * np.log(a[there]) + (1 - alpha) * np.log(b[there])))) / (alpha - 1)


@pytest.mark.parametrize("honest", [1, 2, 3, 5])
@pytest.mark.parametrize("sensitivity", [1, 2, 7])
@pytest.mark.parametrize("rho", [0.01, 0.1, 0.5])
def test_a_sum_of_shares_costs_no_more_than_is_said(honest: int, sensitivity: int, rho: float) -> None:
    scale = noise_shares.scale(rho, honest, sensitivity, 1)
    exact = summed(scale, honest)
    for alpha in (1.5, 2.0, 4.0, 8.0):
        assert renyi(exact, sensitivity, alpha) <= alpha * rho * (1 + 1e-6)


def test_the_bound_is_tight() -> None:
    """A bound that held for much less noise would be easy to keep."""
    scale = noise_shares.scale(0.1, 3, 7, 1)
    assert renyi(summed(scale, 3), 7, 2.0) > 0.99 * 2 * 0.1


@given(st.floats(1e-6, 10), st.integers(1, 50), st.integers(1, 10**9), st.integers(1, 10**6))
def test_a_scale_costs_its_share_and_a_smaller_one_more(rho: float, honest: int, sensitivity: int, size: int) -> None:
    scale = noise_shares.scale(rho, honest, sensitivity, size)
    assert noise_shares.cost(scale, honest, sensitivity, size) <= rho * (1 + 1e-8)
    if scale > noise_shares.LEAST_SCALE * 1.01:
        assert noise_shares.cost(scale * 0.99, honest, sensitivity, size) > rho


def test_fewer_honest_sites_draw_more_each() -> None:
    scales = [noise_shares.scale(0.1, honest, 1000, 10) for honest in (1, 2, 3, 10)]
    assert scales == sorted(scales, reverse=True)
    assert scales[0] / scales[3] == pytest.approx(math.sqrt(10))


def test_shares_have_their_distribution() -> None:
    """Sums of what OpenDP draws against the exact sum of distributions (χ², ten bins of at least 5 %)."""
    noise.require()
    scale, sites, draws = 3.0, 3, 10_000
    drawn = sum(np.array(noise.gaussian(draws, scale)) for _ in range(sites))
    exact = summed(scale, sites)
    middle = len(exact) // 2
    edges = [-8, -5, -3, -2, 0, 1, 2, 4, 6, 9]
    cumulative = np.cumsum(exact)
    expected = np.diff([0.0, *(cumulative[middle + edge - 1] for edge in edges), 1.0]) * draws
    found = np.histogram(drawn, bins=[-(10**6), *edges, 10**6])[0]
    assert ((found - expected) ** 2 / expected).sum() < 40  # 10 degrees of freedom: p < 2e-5


def test_noise_of_no_integers() -> None:
    noise.require()
    assert noise.gaussian(0, 3.0) == ()
