"""The column classifier over sites: sums are those of the pooled columns, and what they tell of a column is bounded."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import ROOT, run_piiscan
from federated_sites import Wire, World

from piiscan.core.errors import UsageError
from piiscan.core.types import Field, TableInfo
from piiscan.dp import noise
from piiscan.dp.ledger import Ledger
from piiscan.dp.noise import Noisy
from piiscan.federated import column_job, column_sums
from piiscan.federated.column_job import JointColumns
from piiscan.federated.column_sums import Columns
from piiscan.federated.jobs import joint
from piiscan.io.table_source import Source
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.classify import adapt_model, column_model
from piiscan.scanning.classify.adapt_model import Example
from piiscan.scanning.classify.lexicon import lexicon

sys.path.insert(0, str(ROOT))
JOB = {"learn": "ColumnClassifier", "entities": ["BANK_ACCOUNT"], "passes": 2, "epsilon": 1.0, "delta": 1e-6}
OWN = {"data": "labels.csv", "dataset": "columns", "budget": 1.0}
HEADERS = ("KDNR_X7", "KDNR_X7", "KDNR_X9", "ort", "betrag", "KDNR_X7")


def job(**changed: Any) -> JointColumns:
    made = joint("columns", {**JOB, **changed})
    assert isinstance(made, JointColumns)
    return made


@cache
def examples(count: int = 12) -> tuple[Example, ...]:
    """Of columns of numbers, half of them called accounts, under made-up headers: with the header, then without."""
    chance, base = random.Random(1), job().base
    names = ["".join(chance.choices("bcdfghjklmnpqrstvwxz", k=7)) for _ in range(count)]
    cells = [[str(chance.randrange(10**7, 10**8)) for _ in range(5)] for _ in names]
    info = TableInfo("made-up.csv", None, "csv", True, tuple(map(Field, names)))
    rules, frame = rule_sets.load(()), pl.DataFrame([pl.Series(str(i), c) for i, c in enumerate(cells)])
    labels = {i: ("BANK_ACCOUNT", "NONE")[i % 2] for i in range(count)}
    found = adapt_model.examples(base, info, engine.partial(frame, info.fields, rules), labels, lexicon(rules))
    return tuple(e for pair in zip(found[:count], found[count:], strict=True) for e in pair)


@pytest.mark.parametrize("clip", [0.1, 3.0, 50.0])
def test_no_column_moves_the_gradient_further_than_is_said(clip: float) -> None:
    made, generator = job(clip=clip), np.random.default_rng(0)
    farthest = 0.0
    for scale in (0, 1 << 12, 1 << 18):
        weights = generator.integers(-scale, scale + 1, (column_sums.INPUTS, len(made.trained)))
        for of in range(0, len(examples()), 2):
            own = made.columns(examples()[of : of + 2])
            moved = column_sums.gradient(own, weights, made.trained, made.clip).astype(object)
            farthest = max(farthest, float(np.sqrt(float((moved * moved).sum()))))
            assert (moved * moved).sum() <= column_sums.sensitivity(clip) ** 2
    assert farthest > (0.75 if clip < 1 else 0.5 if clip < 10 else 0.05) * column_sums.sensitivity(clip)


def test_sums_do_not_depend_on_how_columns_are_divided() -> None:
    made, generator = job(), np.random.default_rng(0)
    weights = generator.integers(-5000, 5000, (column_sums.INPUTS, len(made.trained)))

    def sums(part: list[Example]) -> np.ndarray:
        return column_sums.gradient(made.columns(part), weights, made.trained, made.clip)

    whole = sums(list(examples()))
    mixed = [examples()[i] for i in generator.permutation(len(examples()))]
    assert np.array_equal(sums(mixed), whole)
    assert np.array_equal(sum(sums([e]) for e in mixed), whole)
    assert np.array_equal(sums(mixed[:7]) + sums(mixed[7:]), whole)


def test_what_a_column_adds_does_not_depend_on_its_neighbours() -> None:
    """Neither on whether they are there, nor on their headers and values: so ε holds for one column, not for tables."""
    made, rules = job(), rule_sets.load(())
    cells = pl.Series("0", ["20010203", "30010203", "40010203"])
    mail, dates = pl.Series("1", ["a@example.org"] * 3), pl.Series("2", ["2020-01-01"] * 3)
    found = []
    for names, columns in (
        (("qzvk",), (cells,)),
        (("qzvk", "email", "born"), (cells, mail, dates)),
        (("qzvk", "iban", "x"), (cells, dates, mail)),
    ):
        info = TableInfo("made-up.csv", None, "csv", True, tuple(map(Field, names)))
        summary = engine.partial(pl.DataFrame(columns), info.fields, rules)
        own = made.columns(adapt_model.examples(made.base, info, summary, {0: "BANK_ACCOUNT"}, lexicon(rules)))
        found.append([part.tobytes() for part in own])
    assert found[0] == found[1] == found[2]


def test_the_gradient_is_that_of_the_loss() -> None:
    """Against differences of the loss of `piiscan train`, without its prior, where nothing is shortened."""
    made = job(clip=1000.0)
    columns, generator = made.columns(examples()), np.random.default_rng(0)
    weights = generator.integers(-2000, 2000, (column_sums.INPUTS, len(made.trained)))
    way = np.zeros_like(weights)
    way[columns.buckets] = generator.integers(-400, 400, (len(columns.buckets), len(made.trained)))
    found = column_sums.gradient(columns, weights, made.trained, made.clip) / column_sums.UNIT * adapt_model.SHARE
    expected = (loss(made, columns, weights + way) - loss(made, columns, weights - way)) / 2
    assert float(found @ way.reshape(-1) / 4096) == pytest.approx(expected, rel=0.03)


def loss(made: JointColumns, columns: Columns, weights: np.ndarray) -> float:
    logits = columns.before / 4096
    logits[:, made.trained] += adapt_model.SHARE * column_sums.linear(columns, 0, len(logits), weights) / 4096**2
    own = logits[np.arange(len(logits)), columns.labels]
    return float((columns.weights / 4096) @ (np.log(np.exp(logits).sum(axis=1)) - own))


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path, jobs={"columns": JOB}, own={"budget": 0.1, "jobs": {"columns": OWN}})
    chance = random.Random(2)
    for name in made.names:
        lines = ["path,column,entity"]
        for i, header in enumerate(HEADERS):
            cells = [str(chance.randrange(10**7, 10**8)) for _ in range(8)]
            (tmp_path / name / f"{i}.csv").write_text("\n".join([header, *cells]) + "\n", encoding="utf-8")
            lines.append(f"{i}.csv,{header},{'BANK_ACCOUNT' if header.startswith('KDNR') else 'none'}")
        (tmp_path / name / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def exactly(exact: Callable[[], Any], sensitivity: int, share: noise.Share) -> Noisy:
    return Noisy(tuple(exact()), 1.0)


def test_a_federation_learns_what_the_pooled_columns_teach(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit for bit before noise; each ledger is charged once; nothing that is sent names a header or a value."""
    monkeypatch.setattr(noise, "gaussian", lambda count, scale: (0,) * count)
    wire, made = Wire(world), job()
    text = world.coordinator("columns", wire).run()
    told = json.loads(text)
    of = [e for name in world.names for e in made._examples(Source(world.folder / name / "labels.csv"))]
    assert told["weights"] == made.released(made.columns(of), exactly)["weights"]
    assert told["federation"]["sites"] == 3
    assert told["privacy"]["unit"] == "a labelled column"
    for name in world.names:
        (charge,) = Ledger(world.folder / name / "ledger.sqlite").account("columns").charges
        assert charge.release == text
        assert (charge.loss.epsilon, charge.loss.delta) == (1.0, 1e-6)
    sent = b"".join(message for _, *both in wire.sent for message in both).lower()
    assert not any(word in sent for word in (b"kdnr", b"betrag", b"labels.csv"))
    (world.folder / "columns.json").write_text(text, encoding="utf-8")
    done = run_piiscan("federated", "model", "columns.json", "-o", "ours.npz", cwd=world.folder)
    assert done.returncode == 0, done.stderr
    model = column_model.model(str(world.folder / "ours.npz"))
    seen = [e.features for e in of if e.entity == "BANK_ACCOUNT" and e.weight == 1.0]
    account = model.classes.index("BANK_ACCOUNT")
    assert (model.logits(seen)[:, account] > made.base.logits(seen)[:, account] + 1).all()
    assert made.right(told, Source(world.folder / "site-a" / "labels.csv"), None).shape == (len(HEADERS),)


def test_a_run_with_noise_says_its_scale(world: World) -> None:
    told = json.loads(world.run("columns"))
    made = job()
    assert [entry["sensitivity"] for entry in told["queries"]] == [column_sums.sensitivity(3.0)] * 2
    each = column_sums.sensitivity(3.0) / np.sqrt(2 * made.price.share.amount)
    assert told["queries"][0]["scale"] == pytest.approx(each * np.sqrt(3 / 2))  # three sites, two of whom suffice


def test_a_membership_attack_stays_below_its_bound() -> None:
    """Without noise each rare header is found; with noise no better than the bound, within what chance adds."""
    from benchmarks import federated_columns as attack

    of = examples(120)
    canaries = [of[i : i + 2] for i in range(0, len(of), 2)]
    generator = np.random.default_rng(4)
    exact = attack.attacks(job(), [], canaries, lambda seen: attack.adder(None, 3, generator, seen))
    assert exact["sums"] > 0.95
    made = job(epsilon=1.0)
    noisy = attack.attacks(made, [], canaries, lambda seen: attack.adder(1.0, 3, generator, seen))
    assert attack.bound(made) < 0.6
    assert noisy["sums"] <= attack.bound(made) + 0.16  # three standard errors of 60 against 60
    assert noisy["weights"] <= attack.bound(made) + 0.16


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"entities": ["BANK_ACOUNT"]}, "knows no columns of BANK_ACOUNT"),
        ({"passes": 0}, "passes is a whole number"),
        ({"clip": 0}, "clip a norm"),
        ({"unit": "person"}, "unit isn't an entry"),
        ({"delta": 0.0}, "needs a delta"),
    ],
)
def test_a_wrong_job_says_what_to_write(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        job(**changed)


@pytest.mark.parametrize(
    "changed", [{"kind": "dp-model"}, {"base": "0" * 16}, {"weights": [0]}, {"weights": None}, {"entities": 3}]
)
def test_a_release_of_something_else_makes_no_model(changed: dict[str, Any]) -> None:
    made = job(passes=1)
    told = made.released(made.empty(), exactly)
    assert column_job.trained_model(told).bias.shape == made.base.bias.shape
    with pytest.raises(UsageError):
        column_job.trained_model(told | changed)
