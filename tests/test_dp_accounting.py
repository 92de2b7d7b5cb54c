"""What releases cost together: adding up, zero-concentrated accounting as OpenDP's, and budgets that hundredths fill
exactly."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piiscan.dp import accounting
from piiscan.dp.accounting import NOTHING, Budget, Loss

PURE = Budget(1.0, 0.0, "basic")


def laplace(epsilon: float) -> Loss:
    return Loss(epsilon, 0.0, epsilon**2 / 2, 0.0)


def gaussian(rho: float, delta: float) -> Loss:
    return Loss(accounting.zcdp_epsilon(rho, delta), delta, rho, 0.0)


@pytest.mark.parametrize(
    ("losses", "budget", "fits"),
    [
        ([], PURE, True),
        ([laplace(0.01)] * 100, PURE, True),
        ([laplace(0.1)] * 10, PURE, True),
        ([laplace(1 / 3)] * 3, PURE, True),
        ([laplace(0.01)] * 101, PURE, False),
        ([laplace(1.00001)], PURE, False),
        ([gaussian(1e-6, 1e-9)], PURE, False),
        ([gaussian(0.001, 1e-9)] * 2, Budget(1.0, 1e-9, "basic"), False),
        ([gaussian(0.001, 1e-9)] * 2, Budget(1.0, 2e-9, "basic"), True),
        ([gaussian(0.01, 1e-9)] * 2, Budget(1.0, 2e-9, "basic"), False),
        ([gaussian(0.007, 1e-9)] * 2, Budget(1.0, 1e-9, "zcdp"), True),
        ([gaussian(0.02, 1e-9)] * 2, Budget(1.0, 1e-9, "zcdp"), False),
        ([laplace(0.1)] * 2, Budget(1.0, 1e-9, "zcdp"), True),
        ([Loss(0.1, 1e-9, 0.005, 1e-9)], Budget(1.0, 1e-9, "zcdp"), False),  # the threshold leaves no delta
        ([Loss(0.1, 1e-10, 0.005, 1e-10)], Budget(1.0, 1e-9, "zcdp"), True),
    ],
)
def test_what_fits(losses: list[Loss], budget: Budget, fits: bool) -> None:
    assert accounting.fits(accounting.total(losses), budget) is fits


@given(st.lists(st.floats(1e-6, 3), max_size=8), st.randoms())
def test_a_total_has_no_order(epsilons: list[float], random: object) -> None:
    losses = [laplace(e) for e in epsilons]
    mixed = losses.copy()
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert accounting.total(losses) == accounting.total(mixed)
    assert accounting.total(losses).epsilon == math.fsum(epsilons)


@pytest.mark.parametrize(
    ("before", "one", "budget", "more"),
    [
        (NOTHING, laplace(0.01), PURE, 100),
        (laplace(0.5), laplace(0.25), PURE, 2),
        (laplace(0.5), laplace(0.51), PURE, 0),
        (laplace(1.0), laplace(0.1), PURE, 0),
        (NOTHING, laplace(1e-9), PURE, 1_000_000),  # the most that is looked for
    ],
)
def test_how_many_more_fit(before: Loss, one: Loss, budget: Budget, more: int) -> None:
    assert accounting.remaining_releases(before, one, budget) == more


@given(st.floats(0.01, 3), st.sampled_from(["basic", "zcdp"]))
def test_as_many_more_fit_as_are_reported_and_no_more(epsilon: float, kind: accounting.Accounting) -> None:
    budget, one = Budget(3.0, 1e-6, kind), laplace(epsilon)
    n = accounting.remaining_releases(NOTHING, one, budget)
    assert accounting.fits(accounting.total([one] * n), budget)
    assert not accounting.fits(accounting.total([one] * (n + 1)), budget)


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 8.0])
def test_zero_concentrated_accounting_is_as_opendp_s(epsilon: float, delta: float) -> None:
    from opendp import combinators, measurements

    from piiscan.dp import noise

    noise.require()
    from opendp import metrics

    rho = accounting.zcdp_rho(epsilon, delta)
    gauss = measurements.make_gaussian(noise._integers(), metrics.l2_distance(T="i64"), 1 / math.sqrt(2 * rho))
    theirs = combinators.make_zCDP_to_approxDP(gauss).map(1).epsilon(delta)
    assert accounting.zcdp_epsilon(rho, delta) == pytest.approx(theirs, rel=1e-9)
    assert accounting.zcdp_epsilon(rho, delta) <= epsilon * (1 + accounting.SLACK)
    assert accounting.zcdp_epsilon(rho * 1.001, delta) > epsilon


def test_many_gaussian_releases_cost_less_together_by_zcdp() -> None:
    one = gaussian(0.0005, 1e-9)
    assert accounting.remaining_releases(NOTHING, one, Budget(1.0, 1e-6, "zcdp")) > 3 * accounting.remaining_releases(
        NOTHING, one, Budget(1.0, 1e-6, "basic")
    )
