"""Attacks on models that must fail: neighbours that no query tells further apart than it was paid for, outliers, shapes
that depend on data, crashes.

OpenDP takes its randomness from the system, so no seed repeats a run: the statistical tests fail by chance less than
once in 10⁶ runs.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from learning_tables import BOUNDS, CLASSES, NAMES, SEX, frame, model, privacy
from scipy import stats

from piiscan.core.errors import BudgetError
from piiscan.dp import noise
from piiscan.dp.learning.draws import Draws, costs, sensitivity
from piiscan.dp.ledger import Ledger
from piiscan.dp.run.estimators.estimator import Estimator
from piiscan.learning import PCA, GaussianNB, KMeans, LogisticRegression, StandardScaler

pytestmark = pytest.mark.slow

ALARM = 1e-8


class Drawn(NamedTuple):
    """One call for noise: what was exact, how far it was said to move, what it cost, and what came out."""

    exact: tuple[int, ...]
    sensitivity: int
    share: noise.Share
    values: tuple[int, ...]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Drawn]:
    """All noise that is drawn, in its order."""
    calls: list[Drawn] = []
    real = noise.added

    def added(values: Any, sensitivity: int, share: noise.Share) -> noise.Noisy:
        done = real(values, sensitivity, share)
        calls.append(Drawn(tuple(values), sensitivity, share, done.values))
        return done

    monkeypatch.setattr(noise, "added", added)
    return calls


def learned(
    one: Estimator, table: pl.DataFrame, delta: float, answer: Callable[[int, list[int], float], Any]
) -> list[Drawn]:
    """Learn with answers in the place of noise, which may depend on what was exact or not; what was asked."""
    asked = one._queries()
    price, calls = costs(asked, 1.0, delta), []
    with pytest.MonkeyPatch.context() as patch:

        def added(values: Any, sensitivity: int, share: noise.Share) -> noise.Noisy:
            scale = noise.scale_of(share, sensitivity)
            values = tuple(map(int, values))
            given = tuple(int(n) for n in answer(len(calls), list(values), scale))
            calls.append(Drawn(values, sensitivity, share, given))
            return noise.Noisy(given, scale)

        patch.setattr(noise, "added", added)
        one._learn(one._exact(iter([one._coded(table)])), Draws(asked, price, 1))
    return calls


cells = st.sampled_from(["0", "120", "60", "1e300", "-inf", "nan", "", "x", "2", "-2"])
people = st.lists(
    st.tuples(cells, cells, st.sampled_from(["f", "m", "?"]), st.sampled_from([*CLASSES, "?"]), cells),
    min_size=1,
    max_size=8,
)


def table(rows: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(("age", "dose", "sex", "ill", "cost"), pl.String), orient="row")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@given(people, st.data(), st.sampled_from([None, 0.7]))
@settings(max_examples=12)
def test_neighbours_are_reported_apart_by_no_more_than_was_paid(
    name: str, delta: float, rows: list[Any], data: Any, clip: float | None
) -> None:
    """Whatever was answered before, the sums of two tables that differ by a row lie no further apart than the noise
    covers, in all and for ε or ρ."""
    left_out = data.draw(st.integers(0, len(rows) - 1))
    random = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    # Answers that a table could have had, so that later passes look at it closely; then the same ones for its
    # neighbour.
    here = learned(
        model(name, clip=clip),
        table(rows),
        delta,
        lambda i, v, scale: random.laplace(v, scale * random.choice([0, 1e-3, 1])),
    )
    there = learned(
        model(name, clip=clip), table(rows[:left_out] + rows[left_out + 1 :]), delta, lambda i, v, scale: here[i].values
    )
    assert len(here) == len(there) == len(model(name)._queries())
    loss = 0.0
    for a, b in zip(here, there, strict=True):
        assert (a.sensitivity, a.share, len(a.exact)) == (b.sensitivity, b.share, len(b.exact))
        apart = [abs(x - y) for x, y in zip(a.exact, b.exact, strict=True)]
        scale = noise.scale_of(a.share, a.sensitivity)
        if a.share.mechanism == "laplace":
            assert sum(apart) <= a.sensitivity
            loss += sum(apart) / scale
        else:
            assert sum(x * x for x in apart) <= a.sensitivity**2
            loss += sum(x * x for x in apart) / (2 * scale**2)
    price = costs(model(name, clip=clip)._queries(), 1.0, delta)
    assert loss <= (price.loss.epsilon if price.share.mechanism == "laplace" else price.loss.rho) * (1 + 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_every_integer_that_is_released_has_noise_for_whom_it_moves_by(name: str) -> None:
    """A sum that was said not to move would be released as it is: each of them moves, by some row, and each has
    noise of a sensitivity above 0."""
    words = [
        (age, dose, sex, ill, cost)
        for age in ("0", "120")
        for dose in ("-2", "2")
        for sex in ("f", "m")
        for ill in CLASSES
        for cost in ("0", "1e3")
    ]
    random = np.random.default_rng(0)
    one = model(name)
    nobody = learned(one, table([]), 1e-6, lambda i, v, scale: np.zeros(len(v)))
    moved = [np.zeros(len(call.exact)) for call in nobody]
    for row in words:
        for i, call in enumerate(learned(one, table([row]), 1e-6, lambda i, v, scale: random.normal(0, scale, len(v)))):
            moved[i] += np.abs(np.array(call.exact))
            assert call.sensitivity**2 >= sum(n * n for n in call.exact) and call.sensitivity > 0
    for i, sums in enumerate(moved):
        unmoved = int((sums == 0).sum())
        if name in ("LinearRegression", "PCA") or (name.startswith("Logistic") and i == 0):
            assert unmoved == 1  # no row is of both sexes: that product is 0 in every table
        elif name == "KMeans":
            assert unmoved < len(sums)  # some landmarks are nobody's nearest, and stand between categories
        else:
            assert unmoved == 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_what_is_drawn_is_what_was_charged(name: str, delta: float, drawn: list[Drawn], tmp_path: Path) -> None:
    found = model(name).fit(frame(40), privacy(tmp_path / "ledger", delta=delta, epsilon=0.7))
    (charge,) = Ledger(tmp_path / "ledger").account("people").charges
    mechanisms = {call.share.mechanism for call in drawn}
    assert mechanisms == {found.release["privacy"]["mechanism"]}
    if mechanisms == {"laplace"}:
        assert sum(call.share.amount for call in drawn) <= charge.loss.epsilon * (1 + 1e-9)
    else:
        assert sum(call.share.amount for call in drawn) <= charge.loss.rho * (1 + 1e-9)
    assert (charge.loss.epsilon, charge.loss.delta) == (0.7, delta)
    queries = [(q["sensitivity"], q["share"], q["integers"]) for q in found.release["queries"]]
    assert queries == [(call.sensitivity, call.share.amount, len(call.values)) for call in drawn]


@pytest.mark.parametrize("name", NAMES)
def test_a_model_says_what_it_is_made_of_whatever_the_data_are(name: str, drawn: list[Drawn], tmp_path: Path) -> None:
    """As many passes, the same scales, the same shapes, for tables of none, of one, of many, and of other things."""
    tables = [
        frame(0),
        frame(1),
        frame(300),
        frame(60).with_columns(age=pl.lit("secret"), ill=pl.lit("no")),
        frame(9).with_columns(age=1e300),
    ]
    found, calls = [], []
    for i, data in enumerate(tables):
        drawn.clear()
        release = model(name).fit(data, privacy(tmp_path / f"{i}")).release
        calls.append([(call.sensitivity, call.share, len(call.values)) for call in drawn])
        fitted = release.pop("fitted")
        found.append((release, {key: np.shape(value) for key, value in fitted.items()}))
        assert "secret" not in json.dumps([release, fitted])
    assert all(f == found[0] for f in found) and all(c == calls[0] for c in calls)


@pytest.mark.parametrize("seed", [0, 7])
def test_clusters_begin_where_no_data_tell(seed: int) -> None:
    """The first sums are by the same landmarks, whatever the data: a row alone is counted at one place, that its own
    cells and the bounds fix."""
    one = KMeans(3, bounds=BOUNDS, random_state=seed)
    row = ("30", "1", "f", "no", "0")

    def counts(rows: list[Any]) -> Any:
        (first, *_) = learned(one, table(rows), 1e-6, lambda i, v, scale: v)
        return np.array(first.exact)

    crowd = [(str(age), str(dose), "f", "no", "0") for age in range(0, 120, 7) for dose in (-2, 0, 1)]
    alone = counts([row])
    assert np.array_equal(counts([*crowd, row]) - counts(crowd), alone) and np.array_equal(
        counts([row, *crowd]), counts([*crowd, row])
    )


def test_an_outlier_within_the_bounds_is_hidden(tmp_path: Path) -> None:
    """One extreme row or none: of what is released, no event is more than e^ε times as frequent with it than
    without."""
    noise.require()
    n, epsilon = 4000, 1.0
    plain = [("60", "0", "f", "no", "0")] * 3
    outlier = [*plain, ("120", "2", "f", "no", "0")]
    one = StandardScaler(bounds=BOUNDS)
    asked = one._queries()
    price = costs(asked, epsilon, 0.0)
    exact = {
        which: one._exact(iter([one._coded(table(rows))])) for which, rows in (("without", plain), ("with", outlier))
    }
    away = exact["with"] - exact["without"]
    assert np.abs(away).sum() == 5 * 4096**2  # as far as a row can move them: the count, two sums and two squares

    def seen_apart(part: float) -> bool:
        """Whether a part of the noise would show the outlier, in the direction in which it moves the sums."""
        moved = sensitivity(asked[0], price.share, 1)
        along = {}
        for which, sums in exact.items():
            drawn = np.array(noise.added([0] * n * len(sums), moved, price.share).values).reshape(n, -1)
            along[which] = (sums + part * drawn) @ np.sign(away)
        here, there = along["with"], along["without"]
        for edge in np.quantile(np.concatenate([here, there]), np.linspace(0.02, 0.98, 15)):
            for a, b in ((here >= edge, there >= edge), (there < edge, here < edge)):
                low = stats.binomtest(int(a.sum()), n).proportion_ci(1 - ALARM, "exact").low
                high = stats.binomtest(int(b.sum()), n).proportion_ci(1 - ALARM, "exact").high
                if low > math.exp(epsilon) * high:
                    return True
        return False

    assert not seen_apart(1)
    assert seen_apart(0.2)  # with a fifth of the noise it shows


@pytest.mark.parametrize("outlier", ["1e300", "inf", "121", "-1e9"])
def test_an_outlier_beyond_the_bounds_is_the_bound(outlier: str) -> None:
    bound = "0" if outlier.startswith("-") else "120"
    for name in NAMES:
        one = model(name)
        a, b = (one._coded(table([(cell, "1", "f", "no", "5")])) for cell in (outlier, bound))
        assert np.array_equal(a.vectors, b.vectors) and np.array_equal(a.classes, b.classes)


def test_the_same_rows_in_other_batches_and_orders_give_the_same_sums() -> None:
    data = frame(1000)
    for name in NAMES:
        one = model(name)
        answers: list[tuple[int, ...]] = []
        whole = learned(one, data, 1e-6, lambda i, v, scale: v)
        parts = [one._coded(part) for part in (data[700:], data[:1], data[1:700])]
        asked = one._queries()
        with pytest.MonkeyPatch.context() as patch:

            def added(values: Any, sensitivity: int, share: noise.Share, answers: Any = answers) -> noise.Noisy:
                answers.append(tuple(map(int, values)))
                return noise.Noisy(answers[-1], noise.scale_of(share, sensitivity))

            patch.setattr(noise, "added", added)
            one._learn(one._exact(iter(parts)), Draws(asked, costs(asked, 1.0, 1e-6), 1))
        assert answers == [call.exact for call in whole]


def test_noise_that_isn_t_drawn_was_paid_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The charge is on the disk before the first draw: an end at that moment loses budget, and no second try is
    free."""
    seen: list[int] = []

    def added(*_: Any) -> noise.Noisy:
        seen.append(len(Ledger(tmp_path / "ledger").account("people").charges))
        raise KeyboardInterrupt

    monkeypatch.setattr(noise, "added", added)
    with pytest.raises(KeyboardInterrupt):
        model("KMeans").fit(frame(9), privacy(tmp_path / "ledger"))
    assert seen == [1]
    with pytest.raises(BudgetError):
        model("KMeans").fit(frame(9), privacy(tmp_path / "ledger"))


def test_a_killed_fit_has_paid(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; sys.path.insert(0, 'tests')\n"
        "from pathlib import Path; from learning_tables import *; from piiscan.dp import noise\n"
        "real, left = noise.added, [3]\n"
        "def added(*a):\n"
        "    left[0] -= 1\n"
        "    return real(*a) if left[0] else os.kill(os.getpid(), signal.SIGKILL)\n"
        "noise.added = added\n"
        f"model('LogisticRegression').fit(frame(50), privacy(Path({str(tmp_path / 'ledger')!r})))\n"
    )
    plain = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=plain, capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (charge,) = Ledger(tmp_path / "ledger").account("people").charges
    assert charge.release is None and charge.loss.epsilon == 1


def test_a_file_that_can_t_be_read_costs_nothing(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="column age"):
        model("PCA").fit(frame(9).drop("age"), privacy(tmp_path / "ledger"))
    assert not (tmp_path / "ledger").exists()


def test_without_opendp_nothing_is_learned(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['opendp'] = None; sys.path.insert(0, 'tests')\n"
        "from pathlib import Path; from learning_tables import *; import piiscan\n"
        "try:\n"
        f"    model('PCA').fit(frame(50), privacy(Path({str(tmp_path / 'ledger')!r})))\n"
        "except piiscan.ReadError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == noise.INSTALL + "\n", done.stderr
    assert not (tmp_path / "ledger").exists()


def test_a_scaler_before_a_model_is_charged_like_one(tmp_path: Path) -> None:
    # Of 3,000 rows, one run of 13 learns less than half for the noise.
    ledger, data = tmp_path / "ledger", frame(12_000)
    scaler = StandardScaler(bounds={"age": (-1000.0, 1000.0), "dose": (-50.0, 50.0)}).fit(
        data, privacy(ledger, epsilon=0.3, budget=1)
    )
    found = LogisticRegression(target="ill", classes=CLASSES, bounds=scaler.bounds_, categories=SEX).fit(
        data, privacy(ledger, epsilon=0.7)
    )
    assert [c.loss.epsilon for c in Ledger(ledger).account("people").charges] == [0.3, 0.7]
    assert found.score(data) > 0.5  # by chance it is a third
    with pytest.raises(BudgetError):
        GaussianNB(target="ill", classes=CLASSES, bounds=BOUNDS).fit(data, privacy(ledger, epsilon=0.01))


def test_projected_rows_are_not_private(tmp_path: Path) -> None:
    """What the manual says of them, shown: with all components, rows come back whole."""
    data = frame(500)
    found = PCA(bounds=BOUNDS).fit(data, privacy(tmp_path / "ledger"))
    back = (found.transform(data) @ found.components_ + found.mean_) * [60, 2] + [60, 0]
    assert back == pytest.approx(np.clip(data.select("age", "dose").to_numpy(), [0, -2], [120, 2]), abs=1e-6)
