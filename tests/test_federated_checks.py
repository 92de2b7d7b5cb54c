"""Models that sites check with rows that they held out: a poisoned one is rejected, and stored nowhere."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import tomlkit
from federated_sites import COST, JOBS, Wire, World, frame

from piiscan.core.errors import UsageError
from piiscan.dp.ledger import Ledger
from piiscan.dp.noise import Noisy
from piiscan.federated.coordinator import FederationError
from piiscan.federated.jobs import joint
from piiscan.federated.messages import pack, unpack
from piiscan.federated.secret_sums import words
from piiscan.federated.site import SiteConfig
from piiscan.federated.site_jobs import HoldOut
from piiscan.io.table_source import Source

CHECKS: dict[str, Any] = {
    "linear": {"hold_out": "held-out.csv", "least": 0.5, "epsilon": 2.0, "within": 100},
    "logistic": {"hold_out": "held-out.csv", "least": 0.8, "epsilon": 2.0},
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path, own={"jobs": CHECKS}, epsilon=10.0)
    for i, name in enumerate(made.names):
        clear(frame(200, i)).write_csv(tmp_path / name / "rows.csv")
        clear(frame(200, 100 + i)).write_csv(tmp_path / name / "held-out.csv")
    return made


def clear(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows whose class follows from a number."""
    return rows.with_columns(sex=pl.when(pl.col("age") < 45).then(pl.lit("m")).otherwise(pl.lit("f")))


def poisoned(world: World, requests: Mapping[str, bytes], ask: Callable[..., dict[str, bytes]]) -> dict[str, bytes]:
    """Site b sends a vector that has little to do with its rows: under the masks nobody can see that."""
    replies = ask(requests)
    told, vector = unpack(replies["site-b"])
    if len(vector):
        wrong = np.random.default_rng(5).integers(-(1 << 40), 1 << 40, len(vector))
        told.pop("version", None)
        replies["site-b"] = pack(told, vector + words(wrong.tolist()))
    return replies


@pytest.mark.parametrize("job", ["linear", "logistic"])
def test_a_good_model_is_kept_and_a_poisoned_one_is_stored_nowhere(world: World, job: str) -> None:
    text = world.run(job)
    with pytest.raises(FederationError, match=r"rejected the model.*nothing is released"):
        world.run(job, [poisoned] * 100)
    for name in world.names:
        first, second = Ledger(world.folder / name / "ledger.sqlite").account("patients").charges
        assert (first.release, second.release) == (text, None)
        assert first.loss.epsilon == second.loss.epsilon == 12.0  # the job's 10, and the check's 2
        assert json.loads(first.query)["federated"]["hold_out"]["epsilon"] == 2.0


def test_a_site_that_rejected_a_model_does_not_store_it_whoever_asks(world: World) -> None:
    """A coordinator that goes on regardless is refused; a second answer is the first one, without new noise."""
    wire = Wire(world, [poisoned] * 100)
    with pytest.raises(FederationError):
        world.coordinator("linear", wire).run()
    asked = [request for name, request, _ in wire.sent if name == "site-a"][-1]
    told = unpack(asked)[0]
    answers = [unpack(world.site("site-a").answer(asked))[0] for _ in range(5)]
    assert told["ask"] == "check" and all(answer["accepts"] is False for answer in answers)
    reply = unpack(world.site("site-a").answer(pack({**told, "ask": "finish"})))[0]
    assert "rejected" in reply["error"]
    (charge,) = Ledger(world.folder / "site-a" / "ledger.sqlite").account("patients").charges
    assert charge.release is None


def test_an_answer_has_its_distribution(tmp_path: Path) -> None:
    """Accepted as often as Laplace noise on the count says, and as often as ε allows with one row more."""
    frame(7, 1).write_csv(tmp_path / "held-out.csv")

    class Always:
        max_rows = 1

        def right(self, released: Any, source: Source, within: float | None) -> np.ndarray:
            return np.array([True] * 3 + [False] * released)

    epsilon, tries = 0.5, 500
    check = HoldOut(tmp_path / "held-out.csv", 0.5, epsilon)
    found = []
    for wrong in (4, 5):
        share = sum(check.accepts(Always(), wrong) for _ in range(tries)) / tries  # type: ignore[arg-type]
        # The count is 3 − wrong halves, and has discrete Laplace noise of scale 1/ε in halves.
        p = math.exp(-epsilon)
        assert share == pytest.approx(p ** (wrong - 3) / (1 + p), abs=0.08)
        found.append(share)
    assert found[0] <= math.exp(epsilon) * found[1] + 0.08


@pytest.mark.parametrize("job", ["linear", "logistic", "bayes"])
def test_rows_are_right_as_the_models_own_score_says(job: str) -> None:
    made = joint(job, {**JOBS[job], **COST})
    rows = clear(frame(300, 9))
    released = made.released(
        made.exact(Source(clear(frame(500, 1)))), lambda of, sensitivity, share: Noisy(tuple(of()), 1.0)
    )
    right = made.right(released, Source(rows), 100.0)
    if job == "linear":
        said = made.model.predict(rows.drop("cost"))  # type: ignore[attr-defined]
        assert right.tolist() == (np.abs(said - rows["cost"].to_numpy()) <= 100).tolist()
    else:
        assert right.mean() == made.model.score(rows)  # type: ignore[attr-defined]
    assert 0.8 < right.mean() <= 1
    lacking = pl.concat([rows, rows.head(5).with_columns(age=pl.lit(None, dtype=pl.Float64))])
    assert len(made.right(released, Source(lacking), 100.0)) == len(rows)


def test_of_each_unit_as_many_rows_count_as_in_the_job() -> None:
    made = joint("linear", {**JOBS["linear"], **COST, "one_row_per_person": False, "unit": "person", "max_rows": 1})
    fitted = {"coef": [5.0, 0.0, 0.0], "intercept": 0.0, "n_samples": 1}
    assert len(made.right({"fitted": fitted}, Source(frame(200, 3)), 50.0)) == 100  # two rows each


@pytest.mark.parametrize(
    ("jobs", "reason"),
    [
        ({"linear": {"hold_out": "rows.csv", "least": 0.5}}, "epsilon is missing"),
        ({"linear": {"within": 3}}, "hold_out is missing"),
        ({"linear": {"hold_out": "rows.csv", "least": 2, "epsilon": 1}}, "between 0 and 1"),
        ({"linear": {"hold_out": "rows.csv", "least": 0.5, "epsilon": True}}, "are numbers"),
        ({"linear": {"rows": "rows.csv"}}, "isn't known"),
        ({"linear": {"budget": 0}}, "budget is a number above 0"),
        ({"linear": 3}, "are a table"),
    ],
)
def test_a_wrong_setting_says_what_to_write(tmp_path: Path, jobs: dict[str, Any], reason: str) -> None:
    told = dict.fromkeys(("site", "key", "federation", "data", "dataset", "ledger", "state"), "x")
    (tmp_path / "site.toml").write_text(tomlkit.dumps({**told, "jobs": jobs}), encoding="utf-8")
    with pytest.raises(UsageError, match=reason):
        SiteConfig.load(tmp_path / "site.toml")


@pytest.mark.parametrize(
    ("job", "check", "reason"),
    [
        ("logistic", {"hold_out": "other.csv", "least": 0.5, "epsilon": 1}, "cost"),
        ("scaler", {"hold_out": "rows.csv", "least": 0.5, "epsilon": 1}, "predicts nothing"),
        ("summary", {"hold_out": "rows.csv", "least": 0.5, "epsilon": 1}, "predicts nothing"),
        ("linear", {"hold_out": "rows.csv", "least": 0.5, "epsilon": 1}, "how far"),
        ("logistic", {"hold_out": "empty.csv", "least": 0.5, "epsilon": 1}, "no rows that were held out"),
    ],
)
def test_what_cannot_be_checked_is_refused_before_anything_is_charged(
    tmp_path: Path, job: str, check: dict[str, Any], reason: str
) -> None:
    world = World(tmp_path, own={"jobs": {job: check}})
    for name in world.names:
        (tmp_path / name / "empty.csv").write_text("age,cost,sex\n", encoding="utf-8")
        (tmp_path / name / "other.csv").write_text("age,sex\n3,f\n", encoding="utf-8")
    with pytest.raises(FederationError, match=reason):
        world.run(job)
    assert not any((tmp_path / name / "ledger.sqlite").exists() for name in world.names)
