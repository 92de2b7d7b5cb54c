"""Constraints of linked tables: every row satisfies those of its table, whatever noise says, and what can't be is
refused."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import Run

import piiscan
from piiscan.core.errors import UsageError
from piiscan.dp import noise
from piiscan.synthesis.linked.schema import load

YEAR = {"dates": ["2023-01-01", "2023-12-31"]}
FIRST = date(2023, 1, 1)
SCHEMA: dict[str, Any] = {
    "tables": {
        "patients": {
            "key": "patient",
            "constraints": ["low < high"],
            "columns": {"low": {"bounds": [0, 60], "edges": [9, 30]}, "high": {"bounds": [0, 120], "edges": [20, 60]}},
        },
        "stays": {
            "key": "stay",
            "parent": "patients",
            "max_rows": 4,
            "constraints": ["discharged >= admitted", "total = food + rooms"],
            "columns": {
                "total": {"bounds": [0, 200]},
                "admitted": YEAR,
                "discharged": YEAR,
                "food": {"bounds": [0, 60], "edges": [10, 30]},
                "rooms": {"bounds": [0, 100], "edges": [40, 80]},
                "ward": {"categories": ["a", "b"]},
            },
        },
        "doses": {
            "parent": "stays",
            "max_rows": 3,
            "constraints": ["given <= prescribed"],
            "columns": {
                "given": {"bounds": [0, 5], "edges": [0.5, 1], "decimals": 2},
                "prescribed": {"bounds": [0, 5], "edges": [1, 2], "decimals": 1},
            },
        },
    }
}


@pytest.fixture(autouse=True)
def _same_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of the usual size that is the same in every run: what is held against a bound doesn't depend on luck."""
    chance = np.random.default_rng(7)

    def added(values: Any, sensitivity: int, share: Any) -> noise.Noisy:
        scale = noise.scale_of(share, sensitivity)
        drawn = chance.normal if share.mechanism == "gaussian" else chance.laplace
        return noise.Noisy(
            tuple(round(v + e) for v, e in zip(values, drawn(0, scale, len(values)), strict=True)), scale
        )

    def selected(scores: Any, sensitivity: int, share: Any) -> int:
        return int(
            np.argmax(np.array(scores) + chance.gumbel(0, noise.selection_scale(share, sensitivity), len(scores)))
        )

    monkeypatch.setattr(noise, "added", added)
    monkeypatch.setattr(noise, "selected", selected)


def changed(**entries: Any) -> dict[str, Any]:
    """The schema with some keys of tables replaced."""
    made = deepcopy(SCHEMA)
    for name, entry in entries.items():
        made["tables"][name] |= entry
    return made


def data(patients: int = 400) -> dict[str, pl.DataFrame]:
    random = np.random.default_rng(3)
    owner = np.repeat(np.arange(patients), random.integers(0, 5, patients))
    rows = len(owner)
    stay = np.repeat(np.arange(rows), random.integers(0, 4, rows))
    low, food, rooms = random.integers(0, 50, patients), random.integers(0, 60, rows), random.integers(0, 100, rows)
    admitted = random.integers(0, 330, rows)
    days = [FIRST + timedelta(days=int(day)) for day in admitted]
    until = [day + timedelta(days=int(more)) for day, more in zip(days, random.integers(0, 35, rows), strict=True)]
    given = random.random(len(stay)).round(2)
    return {
        "patients": pl.DataFrame(
            {"patient": np.arange(patients), "low": low, "high": low + 1 + random.integers(0, 40, patients)}
        ),
        "stays": pl.DataFrame(
            {
                "stay": np.arange(rows),
                "patient": owner,
                "admitted": days,
                "discharged": [None if i % 9 == 0 else day for i, day in enumerate(until)],
                "food": food,
                "rooms": [None if i % 7 == 0 else int(room) for i, room in enumerate(rooms)],
                "total": food + rooms,
                "ward": random.choice(["a", "b"], rows),
            }
        ),
        "doses": pl.DataFrame({"stay": stay, "given": given, "prescribed": (given + 1).round(1)}),
    }


def released(folder: Path, schema: Any = SCHEMA, tables: Any = None, **said: Any) -> Any:
    n = said.pop("n", None)
    asked = {"epsilon": 1.0, "delta": 1e-9, "unit": "patient", "dataset": "ward", "ledger": folder / "ledger"}
    given = data() if tables is None else tables
    return piiscan.synthesize_tables(given, piiscan.Privacy(**asked | {"budget": 1_000} | said), schema, n=n)


def broken(frames: Any) -> dict[str, int]:
    """How many rows break each constraint; missing cells break none."""
    patients, stays, doses = (frames[name] for name in SCHEMA["tables"])
    return {
        "low": int((patients["low"] >= patients["high"]).sum()),
        "days": int((stays["discharged"] < stays["admitted"]).sum()),
        "total": int((stays["total"] != stays["food"] + stays["rooms"]).sum()),
        "missing": int((stays["total"].is_null() != (stays["food"].is_null() | stays["rooms"].is_null())).sum()),
        "doses": int((doses["given"] > doses["prescribed"]).sum()),
    }


@pytest.mark.parametrize(("epsilon", "order"), [(0.05, None), (1.0, None), (0.05, "admitted"), (50.0, "admitted")])
def test_every_row_satisfies_the_constraints_of_its_table(epsilon: float, order: str | None, tmp_path: Path) -> None:
    schema = changed(stays={"order": order}) if order else SCHEMA
    done = released(tmp_path, schema, data(150), epsilon=epsilon, n=200)
    assert set(broken(done.frames).values()) == {0}
    assert set(done.frames["stays"].columns) == {"stay", "patient", *dict(load(schema).table("stays").declared)}
    for name, column in ("stays", "admitted"), ("stays", "discharged"):
        assert done.frames[name][column].drop_nulls().is_between(FIRST, date(2023, 12, 31)).all()
    assert done.constraints == {
        "patients": ("low < high",),
        "stays": ("admitted <= discharged", "total = food + rooms"),
        "doses": ("given <= prescribed",),
    }
    assert done.frames["stays"].height > 100


def test_constraints_make_columns_more_alike(tmp_path: Path) -> None:
    """Of few people: without them, noise puts a third of the rows where they can't be."""
    real = data(1_500)
    edges = np.linspace(0, 365, 21)

    def table(frame: pl.DataFrame) -> Any:
        days = [(frame[name] - FIRST).dt.total_days() for name in ("admitted", "discharged")]
        counts = np.histogram2d(*[day.to_numpy() for day in days], [edges, edges])[0]
        return counts / counts.sum()

    apart = {}
    columns = {"admitted": YEAR, "discharged": YEAR}
    for name, texts in ("with", ["admitted <= discharged"]), ("without", []):
        schema = changed(stays={"constraints": texts, "columns": columns})
        del schema["tables"]["doses"]
        made = released(tmp_path, schema, real, n=1_500, dataset=name).frames["stays"]
        rows = made.drop_nulls(["admitted", "discharged"])
        apart[name] = np.abs(table(rows) - table(real["stays"].drop_nulls(["admitted", "discharged"]))).sum() / 2
    assert apart["with"] < 0.7 * apart["without"]


def test_orders_are_part_of_the_query_and_totals_are_as_their_parts(tmp_path: Path) -> None:
    """Rows of children are measured given made-up parents, which satisfy them."""
    said = [released(tmp_path, schema, data(30), n=5).repeated for schema in (SCHEMA, SCHEMA)]
    fewer = changed(doses={"constraints": []})
    strict = changed(doses={"constraints": ["given < prescribed"]})
    said += [released(tmp_path, schema, data(30), n=5).repeated for schema in (fewer, strict, fewer)]
    assert said == [False, True, False, False, True]
    (entry,) = (e for e in released(tmp_path, tables=data(30)).to_dict()["tables"] if e["name"] == "stays")
    assert entry["constraints"] == ["stays.admitted <= stays.discharged"]
    assert "stays.total" not in {column["name"] for step in entry["steps"] for column in step["columns"]}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"stays": {"constraints": "a <= b"}}, "constraints must be a list of texts"),
        ({"stays": {"constraints": ["admitted"]}}, "table stays: constraint 'admitted': compare two columns"),
        ({"stays": {"constraints": ["admitted <= low"]}}, "column low isn't declared"),
        ({"stays": {"constraints": ["ward <= food"]}}, "column ward isn't declared as numbers"),
        ({"stays": {"constraints": ["admitted <= food"]}}, "dates that are declared from the same first day"),
        ({"stays": {"constraints": ["total = admitted + food"]}}, "dates that are declared from the same first day"),
        ({"stays": {"constraints": ["food <= rooms", "rooms <= food"]}}, "in a circle"),
        ({"stays": {"order": "discharged"}}, "can only be the lower one of two columns"),
        ({"stays": {"order": "food", "constraints": ["total = food + rooms"]}}, "can only be the lower one"),
        ({"stays": {"order": "rooms", "constraints": ["rooms <= food"]}}, "declare higher bounds for that one"),
        ({"patients": {"columns": {"low": {"bounds": [9, 10]}, "high": {"bounds": [0, 5]}}}}, "no numbers within"),
    ],
)
def test_constraints_that_make_no_sense_are_refused(entries: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load(changed(**entries))
    with pytest.raises(UsageError, match=r"declare them in its \[tables.NAME\]"):
        load(SCHEMA | {"constraints": ["low < high"]})


def test_the_command_writes_totals_and_compares_them(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "ward").mkdir()
    for name, frame in data().items():
        frame.write_csv(tmp_path / "ward" / f"{name}.csv")
    lines = []
    for name, entry in SCHEMA["tables"].items():
        lines.append(f"[tables.{name}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in entry.items() if key != "columns"]
        for column, known in entry["columns"].items():
            lines += [f"[tables.{name}.columns.{column}]"] + [f"{k} = {json.dumps(v)}" for k, v in known.items()]
    (tmp_path / "ward.toml").write_text("\n".join(lines), encoding="utf-8")
    common = ("--schema", tmp_path / "ward.toml", "--epsilon", "1", "--unit", "patient", "-o", tmp_path / "made")
    done = piiscan("synthesize", tmp_path / "ward", *common, "--evaluate", tmp_path / "evaluation.json")
    assert done.returncode == 0, done.stderr
    assert "Every row of stays satisfies: admitted <= discharged; total = food + rooms." in done.stderr
    made = {
        name: pl.read_csv(tmp_path / "made" / f"{name}.csv", try_parse_dates=True, infer_schema_length=None)
        for name in SCHEMA["tables"]
    }
    # A column without any number is one of texts where a file is read.
    made["stays"] = made["stays"].with_columns(pl.col("food", "rooms", "total").cast(pl.Int64))
    assert set(broken(made).values()) == {0}
    report = json.loads((tmp_path / "evaluation.json").read_text(encoding="utf-8"))
    (stays,) = (table for table in report["tables"] if table["name"] == "stays")
    assert "total" in {column["name"] for column in stays["evaluation"]["columns"]}
