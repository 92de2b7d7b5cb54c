"""No row adds more to a sum than is said, whatever its cells are; sums are those of a slow loop, in whatever parts
the rows come."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.dp import noise
from piiscan.dp.accounting import Budget, Loss, fits
from piiscan.dp.domains import Categories, Number
from piiscan.dp.learning import centres, model_parts, model_sums
from piiscan.dp.learning.draws import Draws, Query, costs, sensitivity
from piiscan.dp.learning.model_sums import Rows
from piiscan.dp.learning.row_vectors import ONE, Features, Sensitivity

AGE, PAY, SEX = Number(0, 120), Number(-3.7, 1e6), Categories(("f", "m", "x"))
cells = st.sampled_from(
    ["0", "120", "-3.7", "1e6", "1e300", "-1e300", "inf", "-inf", "nan", "", "x", "60", "5e-324"]
) | st.floats().map(str)
rows = st.lists(st.tuples(cells, cells, st.sampled_from(["f", "m", "x", "?", ""]), st.integers(0, 2)), max_size=12)
FEATURES = [
    Features((("age", AGE), ("pay", PAY), ("sex", SEX)), clip) for clip in (None, 1.0, 0.3, 0.0008, 1.7)
] + [Features((("pay", PAY),)), Features((("sex", SEX),), 0.5)]  # fmt: skip
features = st.sampled_from(FEATURES)


def coded(table: list[Any], by: Features) -> Rows:
    frame = pl.DataFrame(
        table, schema={"age": pl.String, "pay": pl.String, "sex": pl.String, "class": pl.Int64}, orient="row"
    )
    return Rows(by.coded(frame)[0], frame["class"].to_numpy())


def norms(integers: Any) -> Sensitivity:
    """Exact, in Python's own integers."""
    each = [int(n) for n in np.asarray(integers).reshape(-1)]
    return Sensitivity(sum(map(abs, each)), sum(n * n for n in each))


def within(found: Sensitivity, said: Sensitivity) -> bool:
    return found.l1 <= said.l1 and found.squared <= said.squared


def everything(batch: list[Rows], size: int, seed: int) -> list[tuple[Any, Any]]:
    """Each sum of a batch, and what it is said to be moved by at most, for vectors with a given sensitivity."""
    random = np.random.default_rng(seed)
    places = random.integers(-ONE, ONE + 1, (4, size))
    two, three = (
        random.integers(-(1 << 20), 1 << 20, (n, size + 1)) // random.choice([1, 2000, 1 << 20]) for n in (1, 3)
    )
    of_two = [Rows(b.vectors, np.minimum(b.classes, 1)) for b in batch]
    return [
        (model_sums.products(batch, size), model_sums.products_sensitivity),
        (model_sums.spreads(batch, size, 3), model_sums.spreads_sensitivity),
        (model_sums.clusters(batch, places), model_sums.clusters_sensitivity),
        (model_sums.gradient(of_two, two), lambda vector: model_sums.gradient_sensitivity(vector, 2)),
        (model_sums.gradient(batch, three), lambda vector: model_sums.gradient_sensitivity(vector, 3)),
    ]


@given(rows, features, st.integers(0, 1 << 30))
@settings(max_examples=30)
def test_no_row_reaches_further_than_it_is_said_to(table: list[Any], by: Features, seed: int) -> None:
    for row in table:
        one = coded([row], by)
        assert within(norms(one.vectors), by.sensitivity)
        for found, bound in everything([one], len(by.names), seed):
            assert within(norms(found), bound(by.sensitivity))


@pytest.mark.parametrize("by", FEATURES, ids=lambda by: f"{len(by.columns)} columns, clip {by.clip}")
def test_some_row_reaches_nearly_as_far(by: Features) -> None:
    """No sensitivity is larger than it has to be by much, and none is 0: each integer of each sum is moved by some
    row."""
    table = [
        (age, pay, sex, c)
        for age, pay in (("0", "1e6"), ("120", "1e6"), ("0", "-3.7"))
        for sex in ("f", "m", "x")
        for c in (0, 1, 2)
    ]
    size = len(by.names)
    found = [everything([coded([row], by)], size, seed) for seed in range(6) for row in table]
    for i, (_, bound) in enumerate(found[0]):
        most = bound(by.sensitivity).squared
        best = max(math.sqrt(norms(each[i][0]).squared / most) for each in found)
        assert best > (
            0.5 if by.clip is None or by.clip > 0.1 else 0.2
        )  # where rounding to a unit takes much of what is left
        moved = sum(np.abs(each[i][0]) for each in found)
        if by.clip is None:
            pairs = sum(
                a.startswith("sex") and b.startswith("sex") for j, a in enumerate(by.names) for b in by.names[:j]
            )
            assert (moved == 0).sum() == (pairs if i == 0 else 0)  # no row is of two categories at once


@given(rows, features, st.integers(0, 1 << 30), st.integers(0, 12))
@settings(max_examples=15)
def test_sums_are_the_same_in_whatever_parts_rows_come(table: list[Any], by: Features, seed: int, cut: int) -> None:
    size = len(by.names)
    whole = everything([coded(table, by)], size, seed)
    parts = everything([coded(table[cut:], by), coded(table[:cut], by)], size, seed)
    alone = [everything([coded([row], by)], size, seed) for row in table]
    for i, (found, _) in enumerate(whole):
        assert np.array_equal(found, parts[i][0])
        assert np.array_equal(found, sum((one[i][0] for one in alone), np.zeros_like(found)))


@given(rows)
@settings(max_examples=40)
def test_vectors_are_what_was_declared(table: list[Any]) -> None:
    by = FEATURES[0]
    assert by.names == ("age", "pay", "sex=f", "sex=m", "sex=x")
    vectors = coded(table, by).vectors / ONE
    for (age, pay, sex, _), row in zip(table, vectors, strict=True):
        for text, domain, at in ((age, AGE, 0), (pay, PAY, 1)):
            try:
                number = float(text)
            except ValueError:
                number = math.nan
            middle, half = (domain.low + domain.high) / 2, (domain.high - domain.low) / 2
            expected = 0.0 if math.isnan(number) else (min(max(number, domain.low), domain.high) - middle) / half
            assert abs(row[at] - expected) <= 0.5 / ONE + 1e-9
        assert row[2:].tolist() == [float(sex == word) for word in SEX.values]


def test_a_shortened_row_keeps_its_direction() -> None:
    whole, short = (
        coded([("120", "1e6", "f", 0)], Features(FEATURES[0].columns, clip)).vectors[0] / ONE for clip in (None, 0.5)
    )
    assert math.dist(short, [0] * 5) == pytest.approx(0.5, abs=1e-3)
    assert short == pytest.approx(whole * 0.5 / math.sqrt(3), abs=1e-3)


@given(st.integers(0, 1 << 30))
@settings(max_examples=20)
def test_sums_are_what_a_slow_loop_finds(seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors, classes = random.integers(-ONE, ONE + 1, (5, 3)).astype(np.int16), random.integers(0, 2, 5)
    batch, exact = [Rows(vectors, classes)], [[ONE, *map(int, v)] for v in vectors]
    assert model_sums.products(batch, 3).tolist() == [
        sum(a[i] * a[j] for a in exact) for i in range(4) for j in range(i, 4)
    ]
    assert model_sums.spreads(batch, 3, 2).tolist() == [
        n
        for c in range(2)
        for n in (
            [sum(ONE * a[i] for a, k in zip(exact, classes, strict=True) if k == c) for i in range(4)]
            + [sum(a[i] ** 2 for a, k in zip(exact, classes, strict=True) if k == c) for i in range(1, 4)]
        )
    ]
    places = random.integers(-ONE, ONE + 1, (3, 3))
    nearest = [
        min(range(3), key=lambda p: (sum((int(x) - int(y)) ** 2 for x, y in zip(v, places[p], strict=True)), p))
        for v in vectors
    ]
    assert model_sums.clusters(batch, places).tolist() == [
        sum(a[i] for a, near in zip(exact, nearest, strict=True) if near == p) for p in range(3) for i in range(4)
    ]


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_probabilities_are_those_of_the_softmax(classes: int) -> None:
    random = np.random.default_rng(0)
    vectors = model_sums.with_constant(random.integers(-ONE, ONE + 1, (500, 4)).astype(np.int16))
    weights = random.integers(-4 * ONE, 4 * ONE, (1 if classes == 2 else classes, 5))
    found = model_sums.probabilities(vectors, weights)
    odds = vectors @ weights.T / ONE**2
    odds = np.hstack([0 * odds, odds]) if classes == 2 else odds
    expected = np.exp(odds - odds.max(axis=1, keepdims=True))
    assert np.abs(found / ONE - expected / expected.sum(axis=1, keepdims=True)).max() < 0.01
    assert (found >= 0).all() and (found.sum(axis=1) <= ONE).all()


def test_a_table_of_rows_is_summed_without_rounding() -> None:
    """A million rows at the upper bounds: far beyond what 32 bits or single precision would hold."""
    vectors = np.full((1_000_000, 1), ONE, dtype=np.int16)
    assert (
        model_sums.products([Rows(vectors, np.zeros(len(vectors), dtype=np.int64))], 1).tolist()
        == [1_000_000 * ONE**2] * 3
    )


@given(
    st.floats(1e-3, 50),
    st.sampled_from([0.0, 1e-9, 1e-6]),
    st.integers(1, 30),
    st.integers(1, 10**6),
    st.integers(1, 10**12),
)
@settings(max_examples=50)
def test_shares_add_up_to_the_loss(epsilon: float, delta: float, n: int, l1: int, squared: int) -> None:
    asked = [Query("q", Sensitivity(l1, squared), 1)] * n
    price = costs(asked, epsilon, delta)
    spent = price.share.amount * n
    if price.share.mechanism == "laplace":
        assert price.loss == Loss(epsilon, delta, price.loss.rho, 0.0) and spent == pytest.approx(epsilon)
        assert price.loss.rho == pytest.approx(n * price.share.amount**2 / 2)
        assert sensitivity(asked[0], price.share, 3) == 3 * l1
    else:
        assert spent == pytest.approx(price.loss.rho) and (price.loss.epsilon, price.loss.delta) == (epsilon, delta)
        assert fits(Loss(0, 0, spent, 0), Budget(epsilon, delta, "zcdp"))
        moved = sensitivity(asked[0], price.share, 1)
        assert (moved - 1) ** 2 < squared <= moved**2


def test_noise_has_the_scale_that_is_said() -> None:
    noise.require()
    for delta in (0.0, 1e-6):
        query = Query("q", Sensitivity(100, 900), 10)
        price = costs([query, query], 1.0, delta)
        draws = Draws([query, query], price, 2)
        drawn = np.concatenate([draws.noisy(lambda: np.zeros(4000, dtype=np.int64)).values for _ in range(2)])
        sd = Draws([query], price, 2).noisy(lambda: np.zeros(1, dtype=np.int64)).sd
        # 8,000 draws: the standard deviation of their standard deviation is 2 % at most.
        assert drawn.std() == pytest.approx(sd, rel=0.15)
        with pytest.raises(IndexError):
            draws.noisy(lambda: np.zeros(1, dtype=np.int64))


def test_inverses_forget_what_is_noise() -> None:
    matrix = np.diag([100.0, 1.0, -3.0])
    assert np.diag(model_parts.shrunk_inverse(matrix, 4.0)) == pytest.approx([98 / 100**2, 0, 0])
    assert np.diag(model_parts.lifted_inverse(matrix, 4.0)) == pytest.approx([1 / 104, 1 / 5, 1 / 4])


def test_noise_has_eigenvalues_as_large_as_is_said() -> None:
    random = np.random.default_rng(0)
    noise = random.normal(0, 3, (200, 200))
    symmetric = np.triu(noise) + np.triu(noise, 1).T
    assert np.abs(np.linalg.eigvalsh(symmetric)).max() == pytest.approx(model_parts.noise_level(3, 200), rel=0.1)


def test_clusters_begin_apart_and_within_the_bounds() -> None:
    lowest = np.array([-1.0, 0.0, -1.0])
    for k in (1, 2, 8, 50):
        found = centres.start(lowest, k, 0)
        assert found.shape == (k, 3) and (found >= lowest).all() and (found <= 1).all()
        assert np.array_equal(found, centres.start(lowest, k, 0)) and not np.array_equal(
            found, centres.start(lowest, k, 1)
        )
        if k >= 8:
            apart = [math.dist(a, b) for i, a in enumerate(found) for b in found[:i]]
            scattered = np.random.default_rng(1).uniform(lowest, 1, (k, 3))
            assert min(apart) > 1.5 * min(math.dist(a, b) for i, a in enumerate(scattered) for b in scattered[:i])


def test_points_are_gathered_by_weight() -> None:
    points = np.array([[0.0, 0.0], [0.1, 0.0], [1.0, 1.0], [1.0, 1.2]])
    found = centres.gathered(points, np.array([3.0, 1.0, 1.0, 1.0]), 2, 0)
    assert sorted(found.round(6).tolist()) == [[0.025, 0.0], [1.0, 1.1]]
