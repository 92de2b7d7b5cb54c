"""Counts with noise shrink towards even ones by as much as noise explains, and what stands out stays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.synthesis import shrinkage
from piiscan.synthesis.fit_distribution import Table


def test_a_smooth_column_loses_noise_and_a_peak_stays() -> None:
    """Counts add up to the rows; the waves that are left hold a part of the noise."""
    random = np.random.default_rng(2)
    smooth = 5000 * np.exp(-((np.arange(40) - 20) ** 2) / 60)
    peaked = smooth.copy()
    peaked[3] += 9000
    for true in (smooth, peaked):
        noisy, rows = np.append(true + random.normal(0, 100, 40), 900.0), true.sum() + 900
        done = shrinkage.smoothed(Table((0,), noisy, 100.0), True, rows)
        assert done.counts.sum() == pytest.approx(rows) and done.counts[-1] == pytest.approx(900, abs=1)
        assert done.sigma[-1] == 100 and (done.sigma[:-1] <= 100).all()
        before, after = (np.abs(found[:-1] - true).mean() for found in (noisy, done.counts))
        assert after < (0.6 if true is smooth else 1.05) * before
    assert abs(done.counts[3] - peaked[3]) < 500


def test_counts_that_are_noise_alone_become_even() -> None:
    """Even over declared values: few other words and missing values are left."""
    random = np.random.default_rng(6)
    for numeric, even in ((False, [24.0] * 10 + [0, 0]), (True, [240 / 11] * 11 + [0])):
        noisy = even + random.normal(0, 300, (200, 12))
        found = np.array([shrinkage.smoothed(Table((0,), counts, 300.0), numeric, 240).counts for counts in noisy])
        assert found.sum(axis=1) == pytest.approx(np.full(200, 240))
        assert np.abs(found - even).mean() < 0.1 * np.abs(noisy - even).mean()
    clear = np.array([9000.0, 400, 80, 20, 0])
    assert shrinkage.smoothed(Table((0,), clear, 5.0), False, 9500).counts == pytest.approx(clear, abs=5)


def test_what_stands_out_from_noise_stays_wherever_it_is() -> None:
    """Missing values and words that weren't declared too, though none are expected."""
    for numeric in (False, True):
        counts = np.array([1000.0, 3000, 500, 2000, 2000, 1500])
        done = shrinkage.smoothed(Table((0,), counts, 20.0), numeric, 10_000)
        assert done.counts == pytest.approx(counts, abs=60)


@given(st.integers(2, 9), st.integers(2, 9), st.tuples(st.booleans(), st.booleans()), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_shrinking_a_pair_changes_no_sum_of_a_line(
    first: int, second: int, numeric: tuple[bool, bool], seed: int
) -> None:
    random = np.random.default_rng(seed)
    shares = [random.dirichlet(np.ones(n)) for n in (first, second)]
    pair = Table((0, 1), random.normal(50, 200, (first, second)), 40.0)
    done = shrinkage.shrunk(pair, 1000, shares, numeric)
    assert done.counts.sum(axis=0) == pytest.approx(pair.counts.sum(axis=0), abs=1e-6)
    assert done.counts.sum(axis=1) == pytest.approx(pair.counts.sum(axis=1), abs=1e-6)
    assert 0 < done.sigma <= 40


def test_shrinking_a_pair_keeps_what_stands_out_from_noise() -> None:
    random = np.random.default_rng(4)
    ranks = np.linspace(-1, 1, 12)
    line = np.append(np.full(12, 1 / 12), 0.0)
    together = np.zeros((13, 13))
    together[:12, :12] = 10_000 / 144 * (1 + 0.8 * np.outer(ranks, ranks))
    apart = {}
    for name, true in (("related", together), ("unrelated", 10_000 * np.outer(line, line))):
        noisy = true + random.normal(0, 30, true.shape)
        done = shrinkage.shrunk(Table((0, 1), noisy, 30.0), 10_000, [line, line], [True, True])
        apart[name] = np.abs(done.counts - true).sum() / np.abs(noisy - true).sum()
        if name == "related":
            before, after = (
                np.corrcoef(found[:12, :12].ravel(), np.outer(ranks, ranks).ravel())[0, 1]
                for found in (noisy, done.counts)
            )
            assert after > before > 0.3 and after > 0.75
    assert apart["related"] < 0.7 and apart["unrelated"] < 0.7
