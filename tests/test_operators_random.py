"""What is drawn for a row: resampling, noise, shuffling, and the stream that they draw from."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operator_cases import KEY, OTHER, apply, counts_of, filled, law, ready, surroundings

from piiscan.core.errors import MissingExtra, UsageError
from piiscan.masking.operators import distributions
from piiscan.masking.operators.number_noise import Noise
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.resample import Resample
from piiscan.masking.operators.row_random import stream_key, uniform, words
from piiscan.masking.operators.shuffle import Shuffle


def test_the_stream_is_aes_in_counter_mode() -> None:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    block = Cipher(algorithms.AES(stream_key(KEY, "x")), modes.ECB()).encryptor().update((7).to_bytes(16, "big"))
    assert words(KEY, "x", 7, 1).tobytes() == block


@law
@given(st.integers(0, 2**63), st.integers(0, 20), st.integers(0, 20))
def test_a_row_draws_the_same_wherever_it_is(first: int, a: int, b: int) -> None:
    whole = words(KEY, "x", first, a + b)
    assert whole.shape == (a + b, 2)
    assert np.array_equal(whole, np.concatenate([words(KEY, "x", first, a), words(KEY, "x", first + a, b)]))


def test_purposes_and_keys_draw_apart() -> None:
    drawn = {words(key, purpose, 0, 4).tobytes() for key in (KEY, OTHER) for purpose in ("x", "y")}
    assert len(drawn) == 4


def test_uniform_numbers_are_uniform_and_never_0_or_1() -> None:
    u = uniform(KEY, "x", 0, 100_000)
    assert u.min() > 0
    assert u.max() < 1
    counts = np.histogram(u[:, 0], bins=100, range=(0, 1))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 161.4  # chi-squared with 99 degrees of freedom, p = .0001
    assert abs(np.corrcoef(u[:, 0], u[:, 1])[0, 1]) < 0.02


# Noise


@pytest.mark.parametrize(("law_name", "deviation"), [("laplace", 3 * 2**0.5), ("gaussian", 3.0)])
@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String])
def test_noise_has_its_scale(law_name: Any, deviation: float, dtype: Any) -> None:
    cells = pl.Series([1000] * 50_000).cast(dtype)
    noisy = apply(Noise(3, law_name), cells)
    assert noisy.dtype == dtype
    errors = noisy.cast(pl.Float64).to_numpy() - 1000
    assert abs(errors.mean()) < 0.1
    assert errors.std() == pytest.approx(deviation, rel=0.05)
    assert abs(np.corrcoef(errors[:-1], errors[1:])[0, 1]) < 0.02
    stayed = float((noisy == cells).mean() or 0)  # type: ignore[arg-type]
    assert stayed == pytest.approx(ready(Noise(3, law_name), cells).stays(counts_of(cells)), abs=0.01)


@pytest.mark.parametrize(
    ("operator", "cells", "check"),
    [
        (
            Noise(5),
            pl.Series(["12.50", "1,000.25", "x", None]),
            lambda m: [len(t.split(".")[1]) for t in m[:2]] == [2, 2] and m[2:] == [None, None],
        ),
        (Noise(5), pl.Series(["12,5"]), lambda m: m == [None]),
        (Noise(5, point=","), pl.Series(["12,5"]), lambda m: len(m[0].split(",")[1]) == 1),
        (Noise(5), pl.Series([12.5, 7.0]), lambda m: all(round(x, 1) == x for x in m)),
        (Noise(5, decimals=0), pl.Series([12.5, 7.0]), lambda m: all(x == int(x) for x in m)),
        (Noise(5), pl.Series([float("nan"), float("inf")]), lambda m: m == [None, None]),
        (Noise(1e6, low=0, high=9), pl.Series([5] * 99), lambda m: set(m) == {0, 9}),
        (Noise(1e6, low=0.5, high=9.25), pl.Series(["5.00"] * 99), lambda m: set(m) == {"0.50", "9.25"}),
        (Noise(1e6), pl.Series([5] * 99, dtype=pl.UInt8), lambda m: set(m) == {0, 255}),
        (Noise(1e3), pl.Series([2**63 - 1] * 9), lambda m: all(2**63 - 10**5 < x <= 2**63 - 1 for x in m)),
    ],
)
def test_noise_is_written_like_the_column(operator: Noise, cells: pl.Series, check: Any) -> None:
    assert check(apply(operator, cells).to_list())


def test_floats_need_their_decimals() -> None:
    with pytest.raises(UsageError, match="needs 'decimals', or to see the whole column"):
        Noise(1).mask_rows(pl.Series([1.5]), RowContext(first=0), KEY)


# Resampling


def test_resampled_cells_do_not_follow_their_row() -> None:
    cells = pl.Series((["a"] * 70 + ["b"] * 25 + ["c"] * 5) * 200)
    masked = apply(Resample(), cells)
    shares = dict(masked.value_counts(normalize=True).rows())
    assert shares == {
        "a": pytest.approx(0.7, abs=0.015),
        "b": pytest.approx(0.25, abs=0.015),
        "c": pytest.approx(0.05, abs=0.01),
    }
    given_b = dict(masked.filter(cells == "b").value_counts(normalize=True).rows())
    assert given_b["b"] == pytest.approx(0.25, abs=0.03)
    stayed = float((masked == cells).mean() or 0)  # type: ignore[arg-type]
    assert stayed == pytest.approx(Resample().stays(counts_of(cells)), abs=0.015)


def test_rare_values_are_never_drawn() -> None:
    cells = pl.Series(["often"] * 50 + ["rare"] * 4 + [None])
    masked = apply(Resample(), cells)
    assert set(masked) == {"often", None}
    assert masked[-1] is None
    with pytest.raises(UsageError, match="no value has 'least' cells"):
        apply(Resample(), pl.Series(["secret"] * 4))


@pytest.mark.parametrize("name", ["text", "int64", "float64", "boolean", "date", "datetime zoned"])
@law
@given(data=st.data())
def test_resampling_draws_what_was_there(name: str, data: st.DataObject) -> None:
    cells = data.draw(filled(name))
    masked = apply(Resample(least=1), cells)
    assert set(map(repr, masked)) <= set(map(repr, cells))
    assert masked.is_null().to_list() == cells.is_null().to_list()


RNG = np.random.default_rng(5)


@pytest.mark.parametrize(
    ("numbers", "names"),
    [
        (RNG.normal(65, 2, 5000), {"norm"}),
        (RNG.exponential(40, 5000), {"expon", "gamma", "weibull_min"}),
        (RNG.uniform(3, 9, 5000), {"uniform"}),
        (np.exp(RNG.normal(10, 0.6, 5000)), {"lognorm"}),
        (RNG.laplace(0, 3, 5000), {"laplace"}),
        (RNG.normal(5000, 700, 5000) + RNG.exponential(3000, 5000), {"exponnorm"}),
    ],
)
def test_the_law_that_numbers_come_from_fits_best(numbers: Any, names: set[str]) -> None:
    values, counts = np.unique(numbers, return_counts=True)
    laws = distributions.fit(values, counts)
    assert laws[0].name in names
    near = [law for law in laws if law.ks <= 2 * min(law.ks for law in laws)]
    assert laws[0].aic == min(law.aic for law in near)


def test_only_laws_at_most_twice_as_far_off_as_the_nearest_are_compared_by_likelihood(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twice itself is near enough; the least bit more isn't, however likely the law is."""
    from scipy import stats

    values, counts = np.arange(4.0), np.ones(4, dtype=np.int64)

    class Law:
        def __init__(self, distance: float, likelihood: float) -> None:
            self.fit = lambda points: (0.0,)
            self.logpdf = lambda points, _: np.full(len(points), likelihood)
            self.cdf = lambda x, _: np.arange(4) / 4 + distance

    for name, made in {
        "norm": Law(0.125, -3),
        "expon": Law(0.25, -2),
        "gamma": Law(0.25 + 2**-20, -1),
        "uniform": Law(0.375, 0),
    }.items():
        monkeypatch.setattr(stats, name, made)
    laws = distributions.fit(values, counts, ("norm", "expon", "gamma", "uniform"))
    assert [law.name for law in laws] == ["expon", "norm", "uniform", "gamma"]
    assert [law.ks for law in laws] == [0.25, 0.125, 0.375, 0.25 + 2**-20]


def test_numbers_from_a_law_look_like_the_column() -> None:
    rng = np.random.default_rng(6)
    incomes = pl.Series(np.round(rng.normal(5000, 700, 1200) + rng.exponential(3000, 1200), 2))
    for cells in (
        incomes,
        incomes.round(0).cast(pl.Int64),
        incomes.round(0).cast(pl.Int64).cast(pl.String),
        incomes.cast(pl.String),
    ):
        # Fitted once and drawn from sparingly: scipy takes a millisecond for a quantile of this law.
        fitted = ready(Resample("distribution", distributions=("norm", "exponnorm")), cells)
        masked = fitted.mask_rows(cells, RowContext(first=0), KEY)
        assert masked.dtype == cells.dtype
        drawn, was = masked.cast(pl.Float64), cells.cast(pl.Float64)
        assert drawn.min() >= was.min()
        assert drawn.max() <= was.max()
        assert drawn.mean() == pytest.approx(was.mean(), rel=0.03)
        assert drawn.std() == pytest.approx(was.std(), rel=0.06)
        assert drawn.equals(drawn.round(2))
        assert abs(np.corrcoef(drawn.to_numpy(), was.to_numpy())[0, 1]) < 0.06
        for first, rows in ((0, 1), (1, 99), (1100, 100)):
            assert fitted.mask_rows(cells[first : first + rows], RowContext(first=first), KEY).equals(
                masked[first : first + rows]
            )


def test_a_range_of_one_s_own_holds() -> None:
    masked = apply(
        Resample("distribution", low=60, high=70, distributions=("norm",)), pl.Series(RNG.normal(65, 5, 500))
    )
    assert masked.is_between(60, 70).all()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (pl.Series([1.5] * 50), "numbers that aren't all the same"),
        (pl.Series(["secret"] * 50), "numbers that aren't all the same"),
        (pl.Series([1, 2, 3]), "at least 10 numbers"),
        (pl.Series([True] * 50), "can't mask a column of type boolean"),
    ],
)
def test_what_no_law_fits_is_refused(cells: pl.Series, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        apply(Resample("distribution"), cells)


def test_laws_need_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtra, match=r"pip install 'piiscan-toolkit\[fit\]'"):
        apply(Resample("distribution"), pl.Series(range(50)))


def test_quantiles_stand_for_the_column() -> None:
    values, counts = np.array([1.0, 2.0, 9.0]), np.array([1, 2, 1])
    assert distributions.quantiles(values, counts).tolist() == [1, 2, 2, 9]
    many = distributions.quantiles(np.array([1.0, 2.0]), np.array([10**9, 3 * 10**9]))
    assert len(many) == 5_000
    assert len(distributions.quantiles(np.array([1.0]), np.array([4_999]))) == 4_999
    assert (many == 1).mean() == pytest.approx(0.25, abs=0.001)


# Shuffling


@law
@given(filled("text", 30), st.integers(1, 4), st.data())
def test_shuffle_keeps_the_cells_of_each_group(cells: pl.Series, groups: int, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from("wxyz"[:groups]), min_size=len(cells), max_size=len(cells)))
    rows = RowContext(subjects=pl.Series(names, dtype=pl.String), groups=pl.Series(names, dtype=pl.String), first=0)
    masked = apply(Shuffle(), cells, rows)
    assert masked.is_null().to_list() == cells.is_null().to_list()
    for name in set(names):
        here = pl.Series([n == name for n in names])
        assert sorted(masked.filter(here).drop_nulls()) == sorted(cells.filter(here).drop_nulls())


def test_every_order_is_as_likely() -> None:
    rows = 6 * 4000
    groups = pl.Series([f"g{i // 3}" for i in range(rows)])
    masked = apply(
        Shuffle(), pl.Series(["a", "b", "c"] * (rows // 3)), RowContext(subjects=groups, groups=groups, first=0)
    ).to_list()
    orders: dict[str, int] = {}
    for i in range(0, rows, 3):
        orders["".join(masked[i : i + 3])] = orders.get("".join(masked[i : i + 3]), 0) + 1
    expected = rows / 3 / 6
    assert len(orders) == 6
    assert (
        sum((n - expected) ** 2 / expected for n in orders.values()) < 25.7
    )  # chi-squared with 5 degrees of freedom, p = .0001


def test_a_shuffled_column_moves() -> None:
    cells = pl.Series([i % 10 for i in range(5000)])
    rows = surroundings(5000)
    operator = ready(Shuffle(), cells, rows)
    stayed = float((operator.mask_rows(cells, rows, KEY) == cells).mean() or 0)  # type: ignore[arg-type]
    assert stayed == pytest.approx(operator.stays(counts_of(cells)), abs=0.02)
    assert not apply(Shuffle(), cells).equals(apply(Shuffle(), cells, key=OTHER))


def test_other_rows_are_refused() -> None:
    cells = pl.Series([1, 2, None, 4])
    operator = ready(Shuffle(), cells)
    for part, first in ((cells, 1), (cells.reverse(), 0), (cells.append(pl.Series([5])), 0)):
        with pytest.raises(UsageError, match="made for other rows"):
            operator.mask_rows(part, RowContext(first=first), KEY)
    with pytest.raises(UsageError, match="needs to see the whole column"):
        Shuffle().mask_rows(cells, RowContext(first=0), KEY)
