"""An accuracy holds whenever the noise of each part keeps to its own: a statement about arithmetic, so no chance is
in it."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from dp_tables import SCORE
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.dp import estimates
from piiscan.dp.domains import SQUARES, Number
from piiscan.dp.estimates import Part

values = st.lists(st.integers(0, SCORE.steps), min_size=1, max_size=60)
share = st.floats(-1, 1)


def part(exact: int, scale: float, off: float, parts: int) -> Part:
    """An integer with noise that is `off` of what it may be with 95 %, where `parts` hold together."""
    within = Part(0, scale, "laplace").within(parts)
    return Part(exact + round(off * within), scale, "laplace")


@given(values, st.floats(0.05, 5), share, share, share)
@settings(max_examples=300, deadline=None)
def test_what_is_exact_lies_within_the_accuracy(steps: list[int], scale: float, a: float, b: float, c: float) -> None:
    n = len(steps)
    away = [s - SCORE.middle for s in steps]
    squares = sum(away_one**2 for away_one in away) * Fraction(SQUARES, SCORE.half_range**2)
    size = float(SCORE.step)
    mean = Fraction(sum(steps), n)
    variance = sum((s - mean) ** 2 for s in steps) / n
    found = estimates.total(part(n, scale, a, 2), part(sum(away), scale * SCORE.half_range, b, 2), SCORE)
    assert found.value is not None and found.accuracy is not None
    assert abs(found.value - float(sum(steps) * SCORE.step)) <= found.accuracy + size
    found = estimates.mean(part(n, scale, a, 2), part(sum(away), scale * SCORE.half_range, b, 2), SCORE)
    if found.value is not None and found.accuracy is not None:
        assert abs(found.value - float(mean * SCORE.step)) <= found.accuracy + 1e-9
        assert SCORE.low <= found.value <= SCORE.high
    rows, sums, squared = (
        part(n, scale, a, 3),
        part(sum(away), scale * SCORE.half_range, b, 3),
        part(round(squares), scale * SQUARES, c, 3),
    )
    found = estimates.variance(rows, sums, squared, SCORE)
    if found.value is not None and found.accuracy is not None:
        rounding = (SCORE.half_range * size) ** 2 / SQUARES  # the sum of squares was rounded here
        assert abs(found.value - float(variance) * size**2) <= found.accuracy + rounding
        assert 0 <= found.value <= (SCORE.high - SCORE.low) ** 2 / 4 * 1.001


@pytest.mark.parametrize("off", [-0.9, 0.4, 1.0])
def test_the_mean_of_very_many_rows_is_finer_than_a_step(off: float) -> None:
    """Rounded to a step, it would be further off than its accuracy, which would be told as 0."""
    rows, steps = 10**8, 3 * 10**7 + 12_345  # all rows together are so many steps away from the middle
    found = estimates.mean(part(rows, 2.0, 0.0, 2), part(steps, 2.0 * SCORE.half_range, off, 2), SCORE)
    exact = (SCORE.middle + steps / rows) * float(SCORE.step)
    assert found.value is not None and found.accuracy is not None
    assert abs(found.value - exact) <= found.accuracy <= float(SCORE.step)


WEIGHT = Number(-5, 5)
pairs = st.lists(st.tuples(st.integers(0, SCORE.steps), st.integers(0, WEIGHT.steps)), min_size=3, max_size=80)


@given(pairs, st.floats(0.02, 2), st.lists(share, min_size=6, max_size=6))
@settings(max_examples=200)
def test_exact_deviations_and_correlations_lie_within_the_accuracy(
    steps: list[tuple[int, int]], scale: float, off: list[float]
) -> None:
    n, away = len(steps), [[row[i] - d.middle for row in steps] for i, d in enumerate((SCORE, WEIGHT))]
    units = [Fraction(SQUARES, d.half_range**2) for d in (SCORE, WEIGHT)]
    squares = [round(sum(x * x for x in a) * unit) for a, unit in zip(away, units, strict=True)]
    products = round(
        sum(x * y for x, y in zip(*away, strict=True)) * Fraction(SQUARES, SCORE.half_range * WEIGHT.half_range)
    )
    spread = {
        (i, j): n * sum(x * y for x, y in zip(away[i], away[j], strict=True)) - sum(away[i]) * sum(away[j])
        for i in (0, 1)
        for j in (0, 1)
    }
    rounding = 3 / SQUARES * SCORE.half_range**2
    found = estimates.std(
        part(n, scale, off[0], 3),
        part(sum(away[0]), scale * SCORE.half_range, off[1], 3),
        part(squares[0], scale * SQUARES, off[2], 3),
        SCORE,
    )
    if found.value is not None and found.accuracy is not None:
        exact = math.sqrt(spread[0, 0] / n / (n - 1))
        assert abs(found.value / float(SCORE.step) - exact) <= found.accuracy / float(SCORE.step) + math.sqrt(rounding)
    noisy = [
        *(part(sum(a), scale * d.half_range, o, 6) for a, d, o in zip(away, (SCORE, WEIGHT), off[1:], strict=False)),
        *(part(q, scale * SQUARES, o, 6) for q, o in zip(squares, off[3:], strict=False)),
        part(products, scale * SQUARES, off[5], 6),
    ]
    estimate = estimates.correlation(
        part(n, scale, off[0], 6), (noisy[0], noisy[1]), (noisy[2], noisy[3]), noisy[4], (SCORE, WEIGHT)
    )
    if estimate.value is not None and estimate.accuracy is not None and spread[0, 0] * spread[1, 1] > 0:
        exact = spread[0, 1] / math.sqrt(spread[0, 0]) / math.sqrt(spread[1, 1])
        assert -1 <= estimate.value <= 1 and abs(estimate.value - exact) <= estimate.accuracy + 1e-6


@pytest.mark.parametrize("rows", [-5, 0, 3])
def test_where_noise_leaves_nothing_there_is_no_figure(rows: int) -> None:
    noisy, sums = Part(rows, 10.0, "laplace"), Part(1000, 1e6, "laplace")
    assert (
        estimates.mean(noisy, sums, SCORE)
        == estimates.variance(noisy, sums, Part(5, 1e6, "laplace"), SCORE)
        == estimates.UNKNOWN
    )
    assert estimates.std(noisy, sums, Part(5, 1e6, "laplace"), SCORE) == estimates.UNKNOWN
    assert estimates.correlation(noisy, (sums, sums), (sums, sums), sums, (SCORE, SCORE)) == estimates.UNKNOWN
    assert estimates.count(noisy).value == rows  # negative counts stay
