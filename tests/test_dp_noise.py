"""Noise is OpenDP's, has the distribution and the cost that it says, and is never drawn without OpenDP.

OpenDP takes its randomness from the system, so no seed repeats a run: each bound is wide enough that all together fail
by chance less than once in 10⁹ runs.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter

import pytest
from scipy import stats

from piiscan.core.errors import MissingExtra
from piiscan.dp import accounting, noise
from piiscan.dp.noise import Share

ALARM = 1e-11
SHARES = [Share("laplace", 0.5), Share("gaussian", 0.05)]


@pytest.fixture(autouse=True)
def opendp() -> None:
    noise.require()


def probabilities(share: Share, scale: float, ends: list[int]) -> list[float]:
    """Of the discrete Laplace and Gaussian distributions (Canonne, Kamath and Steinke 2020), in the intervals
    between `ends`."""
    reach = range(-int(60 * scale), int(60 * scale) + 1)
    weights = {
        n: math.exp(-abs(n) / scale) if share.mechanism == "laplace" else math.exp(-n * n / (2 * scale * scale))
        for n in reach
    }
    total = math.fsum(weights.values())
    parts = [0.0] * (len(ends) + 1)
    for n, weight in weights.items():
        parts[sum(n >= end for end in ends)] += weight / total
    return parts


@pytest.mark.parametrize("share", SHARES, ids=lambda s: s.mechanism)
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_noise_has_its_distribution(share: Share, sensitivity: int) -> None:
    drawn = noise.added([7] * 20_000, sensitivity, share)
    scale = noise.scale_of(share, sensitivity)
    assert drawn.scale == scale
    ends = sorted({round(scale * x) for x in (-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3)} | {0, 1})
    found = Counter(sum(value - 7 >= end for end in ends) for value in drawn.values)
    expected = [p * len(drawn.values) for p in probabilities(share, scale, ends)]
    assert stats.chisquare([found[i] for i in range(len(expected))], expected).pvalue > ALARM


@pytest.mark.parametrize("share", SHARES, ids=lambda s: s.mechanism)
@pytest.mark.parametrize("sensitivity", [1, 4, 50_000])
def test_noise_stays_within_its_accuracy_as_often_as_it_says(share: Share, sensitivity: int) -> None:
    drawn = noise.added([0] * 5000, sensitivity, share)
    within = noise.accuracy(share.mechanism, drawn.scale)
    misses = sum(abs(v) > within for v in drawn.values)
    assert stats.binomtest(misses, 5000, 0.05, alternative="greater").pvalue > ALARM
    # And it isn't said wider than it is: nearly 5 % do miss, where steps of 1 are small.
    if drawn.scale > 20:
        assert stats.binomtest(misses, 5000, 0.04, alternative="less").pvalue > ALARM


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0, 300.0])
def test_accuracy_is_as_wide_as_opendp_says(mechanism: noise.Mechanism, scale: float) -> None:
    from opendp import accuracy

    theirs = (
        accuracy.discrete_laplacian_scale_to_accuracy
        if mechanism == "laplace"
        else accuracy.discrete_gaussian_scale_to_accuracy
    )
    assert theirs(scale, 0.05) <= noise.accuracy(mechanism, scale) <= theirs(scale, 0.05) + 1


@pytest.mark.parametrize("share", SHARES, ids=lambda s: s.mechanism)
def test_neighbours_are_as_alike_as_the_share_says(share: Share) -> None:
    """The rate of every event on one table is e^ε times that on its neighbour at most (for ρ: with the ε and δ it
    stands for)."""
    n = 30_000
    epsilon, delta = (
        (share.amount, 0.0) if share.mechanism == "laplace" else (accounting.zcdp_epsilon(share.amount, 1e-3), 1e-3)
    )
    here, there = (noise.added([count] * n, 1, share).values for count in (100, 101))
    for edge in range(80, 122, 4):
        for a, b in ((here, there), (there, here)):
            low = stats.binomtest(sum(v >= edge for v in a), n).proportion_ci(1 - ALARM / 40, "exact").low
            high = stats.binomtest(sum(v >= edge for v in b), n).proportion_ci(1 - ALARM / 40, "exact").high
            assert low <= math.exp(epsilon) * high + delta


@pytest.mark.parametrize("share", SHARES, ids=lambda s: s.mechanism)
def test_values_with_noise_are_whole_numbers(share: Share) -> None:
    """What comes out of floating point has gaps that tell the exact value (Mironov 2012): integers have none,
    whatever the value was."""
    for value in (0, 1, 10**15):
        drawn = noise.added([value] * 4000, 1000, share).values
        assert all(type(v) is int for v in drawn)
        # Every residue comes up, for an even and an odd value alike: no grid shows through.
        assert {(v - value) % 8 for v in drawn} == set(range(8))


@pytest.mark.parametrize("share", SHARES, ids=lambda s: s.mechanism)
def test_selection_keeps_its_bound(share: Share) -> None:
    scores = [-abs(i - 70) for i in range(100)]
    within = noise.selection_scale(share, 1) * math.log(100 / 0.05)
    misses = sum(scores[noise.selected(scores, 1, share)] < -within for _ in range(300))
    assert stats.binomtest(misses, 300, 0.05, alternative="greater").pvalue > ALARM


@pytest.mark.parametrize("share", SHARES, ids=lambda s: s.mechanism)
@pytest.mark.parametrize("per_unit", [1, 3])
def test_a_key_of_one_unit_stays_unknown(share: Share, per_unit: int) -> None:
    delta = 1e-9
    kept = noise.kept({"everybody": 100_000} | {f"one {i}": per_unit for i in range(500)}, per_unit, share, delta)
    assert list(kept) == ["everybody"]
    least, off = noise._least(per_unit, share, delta), noise.floor(per_unit, share, delta)
    assert noise._threshold(per_unit, share, least - 1).map((per_unit,) * 3)[1] > delta  # no lower threshold would do
    assert off >= per_unit and noise.threshold(per_unit, share, delta) == least + off


@pytest.mark.parametrize("share", SHARES, ids=lambda s: s.mechanism)
def test_counts_of_keys_have_noise_around_what_they_are(share: Share) -> None:
    counts = {f"key {i}": 1000 + i for i in range(200)}
    kept = noise.kept(counts, 1, share, 1e-9)
    within = noise.accuracy(share.mechanism, noise.scale_of(share, 1))
    assert len(kept) == 200 and len({kept[key] - n for key, n in counts.items()}) > 5
    misses = sum(abs(kept[key] - n) > within for key, n in counts.items())
    assert stats.binomtest(misses, 200, 0.05, alternative="greater").pvalue > ALARM


def test_no_keys_are_no_keys() -> None:
    assert noise.kept({}, 1, SHARES[0], 1e-9) == {}


def test_a_share_that_noise_would_exceed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "scale_of", lambda share, sensitivity: 1.0)
    with pytest.raises(RuntimeError, match="more than its share"):
        noise.added([1], 100, SHARES[0])


def test_without_opendp_there_is_no_noise() -> None:
    code = (
        "import sys; sys.modules['opendp'] = None\n"
        "import polars as pl, piiscan\n"
        "try:\n"
        "    privacy = piiscan.Privacy(epsilon=1, one_row_per_person=True, dataset='d', ledger='none.sqlite')\n"
        "    piiscan.summarize(pl.DataFrame({'x': [1]}), privacy, bounds={'x': (0, 1)})\n"
        "except piiscan.ReadError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{MissingExtra.__name__} {noise.INSTALL}\n", done.stderr
    assert "pip install 'piiscan-toolkit[dp]'" in noise.INSTALL
