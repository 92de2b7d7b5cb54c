"""Attacks on synthetic tables that must fail: people with thousands of rows, keys and values that come through, shapes
that depend on data, repeated questions, noise before the charge.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import Run
from test_linked import NAMES, SCHEMA, frames, outlier, people, together

import piiscan
from piiscan.core.errors import BudgetError
from piiscan.dp import noise
from piiscan.dp.ledger import Ledger
from piiscan.synthesis.linked import drawing
from piiscan.synthesis.linked.contributions import WHOLE
from piiscan.synthesis.linked.schema import load

pytestmark = pytest.mark.slow

NOTHING: dict[str, list[Any]] = {name: [] for name in NAMES}
TABLES: list[dict[str, list[Any]]] = [
    NOTHING,
    outlier(),
    {**NOTHING, "visits": [("1", "ghost", "2024-01-01", "web")], "items": [("1", "x"), ("2", "y")]},
    {**NOTHING, "customers": [("", "1", "a"), ("secret", "secret", "secret")], "visits": [("secret",) * 4]},
    {**NOTHING, "customers": [("1", "1", "a")], "visits": [("v", "1", "", "")] * 50, "items": [("v", "x")] * 5000},
]


def released(folder: Path, data: Any, **changed: Any) -> Any:
    said = {"epsilon": 1.0, "unit": "customer", "dataset": "shop", "ledger": folder / "ledger"}
    n = changed.pop("n", 50)
    schema = changed.pop("schema", SCHEMA)
    return piiscan.synthesize_tables(data, piiscan.Privacy(**said | changed), schema, n=n)


def skeleton(release: Any) -> Any:
    """A release without its figures and its choices."""
    public = json.loads(json.dumps(release))
    for table in public["tables"]:
        for step in table.get("steps", [table]):
            step.pop("rows", None)
            step.get("units", {}).pop("value", None)
            sizes = {}
            for column in step["columns"]:
                groups = column.pop("groups", range(len(column.get("categories", [])) + 2))
                sizes[column["name"]] = (len(groups), groups[-1] + 1)
            for measured in step["tables"]:
                names, cells = measured["columns"], len(measured.pop("counts"))
                assert cells == math.prod(sizes[name][len(names) - 1] for name in names)
                factors = measured.pop("factor", None)
                by_code = factors is not None and len(names) == 1
                logs = measured.pop("log_factor", factors)
                assert len(logs) == math.prod(sizes[name][0 if by_code else 1] for name in names)
                measured.pop("within", None)
            pairs = [measured for measured in step["tables"] if len(measured["columns"]) > 1]
            step["tables"] = [measured for measured in step["tables"] if len(measured["columns"]) == 1]
            step["pairs"] = sorted((pair["share"], pair["sensitivity"], pair["scale"]) for pair in pairs)
    return public


def test_nothing_but_noisy_figures_depends_on_the_data(tmp_path: Path) -> None:
    found = []
    for i, tables in enumerate(TABLES):
        (tmp_path / str(i)).mkdir()
        done = released(tmp_path / str(i), frames(tables))
        found.append(skeleton(done.to_dict()))
        customers, visits, items = (done.frames[name] for name in NAMES)
        assert customers.schema == {"customer": pl.Int64, "age": pl.Int64, "dept": pl.String}
        assert customers["customer"].to_list() == list(range(1, 51))
        assert visits["visit"].to_list() == list(range(1, visits.height + 1))
        assert visits["customer"].is_between(1, 50).all() and items["visit"].is_between(1, visits.height).all()
        assert visits.height <= 50 * 3 and items.height <= visits.height * 2
        assert visits["day"].drop_nulls().is_between(pl.date(2024, 1, 1), pl.date(2024, 1, 10)).all()
        assert set(visits["channel"]) <= {"web", "shop", "(other)", None}
        assert set(items["kind"]) <= {"x", "y", "(other)", None}
    assert all(f == found[0] for f in found)


@pytest.mark.parametrize("n", [10, 20_000])
def test_who_has_thousands_of_rows_is_one_among_all(n: int, tmp_path: Path) -> None:
    """Among 500 people without any visits, one has n visits, all of them at one place, and twice as many items. What is
    measured with and without that person differs by what one person costs, so who compares releases learns as much as
    of anybody else: the noisy count of the place, drawn again and again, is that of one unit more at most.
    """
    others = {"customers": [(str(i), "50", "a") for i in range(500)], "visits": [], "items": []}
    mine = {
        "customers": [("me", "50", "a")],
        "visits": [(f"v{i}", "me", "2024-01-05", "shop") for i in range(n)],
        "items": [(f"v{i % n}", "y") for i in range(2 * n)],
    }
    seen: dict[bool, list[float]] = {}
    for there in (False, True):
        tables = frames(together(others, mine) if there else others)
        for i in range(6):
            folder = tmp_path / f"{there}{i}"
            folder.mkdir()
            release = released(folder, tables, epsilon=8.0, n=5).to_dict()
            (step,) = (s for s in release["tables"][1]["steps"] if s["columns"][0]["name"] == "visits.channel")
            table = next(t for t in step["tables"] if t["columns"] == ["visits.channel"])
            assert table["sensitivity"] == WHOLE
            scale = table["scale"] / WHOLE
            seen.setdefault(there, []).append(table["counts"][1] / WHOLE)
    apart = float(np.mean(seen[True]) - np.mean(seen[False]))
    # Laplace noise of this scale: a mean of twelve is farther off than this less than once in 10⁹ runs.
    assert abs(apart - 1) < 20 * scale
    assert max(map(abs, (*seen[True], *seen[False]))) < 1 + 30 * scale


def test_no_cell_and_no_key_stands_in_anything_that_comes_out(piiscan: Run, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    secrets = [f"canary{i:04d}" for i in range(300)]
    tables = {
        "customers": pl.DataFrame({"customer": secrets, "age": secrets, "dept": secrets, "canary1": secrets}),
        "visits": pl.DataFrame(
            {"visit": [f"{s}v" for s in secrets], "customer": secrets, "day": secrets, "channel": secrets}
        ),
        "items": pl.DataFrame({"visit": [f"{s}v" for s in secrets], "kind": secrets}),
    }
    for name, table in tables.items():
        table.write_csv(source / f"{name}.csv")
    schema = tmp_path / "schema.toml"
    schema.write_text(
        "\n".join(
            f"[tables.{name}]\n"
            + "\n".join(f"{key} = {json.dumps(entry)}" for key, entry in table.items() if key != "columns")
            + "".join(
                f"\n[tables.{name}.columns.{column}]\n" + "\n".join(f"{k} = {json.dumps(v)}" for k, v in known.items())
                for column, known in table["columns"].items()
            )
            for name, table in SCHEMA["tables"].items()
        ),
        encoding="utf-8",
    )
    done = piiscan(
        "synthesize", source, "--epsilon", "20", "--unit", "customer", "--schema", schema, "-o", tmp_path / "out", "-v"
    )
    assert done.returncode == 0, done.stderr
    assert "Left out of customers, since they aren't declared: column_3." in done.stderr
    assert sorted(p.name for p in source.iterdir() if p.suffix != ".csv") == ["piiscan-ledger.sqlite"]
    written = [*(tmp_path / "out").iterdir(), source / "piiscan-ledger.sqlite"]
    everything = done.stdout + done.stderr + "".join(p.read_bytes().decode("latin-1") for p in written)
    assert "canary" not in everything


def test_asking_again_gives_no_second_draw(tmp_path: Path) -> None:
    done = [released(tmp_path, people(count), budget=2, n=m) for count, m in ((10, 5), (300, 5), (10, 50))]
    assert len({d.text for d in done}) == 1 and [d.repeated for d in done] == [False, True, True]
    assert done[0].frames["visits"].equals(done[1].frames["visits"])
    drawn = drawing.frames(done[0].text, load(SCHEMA), 50)
    assert all(drawn[name].select(done[2].frames[name].columns).equals(done[2].frames[name]) for name in NAMES)
    assert not released(tmp_path, people(10), version="2").repeated
    with pytest.raises(BudgetError):
        released(tmp_path, people(10), version="3")


def test_other_questions_are_paid_for(tmp_path: Path) -> None:
    """Everything that changes what is measured changes the query; the number of rows doesn't."""

    def changed(name: str, **entries: Any) -> dict[str, Any]:
        return {"tables": SCHEMA["tables"] | {name: SCHEMA["tables"][name] | entries}}

    visits = SCHEMA["tables"]["visits"]["columns"]
    schemas = [
        SCHEMA,
        changed("visits", max_rows=2),
        changed("items", max_rows_of_unit=3),
        changed("items", max_rows=1, max_rows_of_unit=3),
        changed("items", columns={"kind": {"categories": ["y", "x"]}}),
        changed("visits", columns=visits | {"day": {"dates": ["2024-01-02", "2024-01-11"]}}),
        changed("visits", columns=visits | {"channel": {"categories": ["web"]}}),
        {"tables": {name: SCHEMA["tables"][name] for name in ("customers", "visits")}},
    ]
    without = dict(SCHEMA["tables"]["visits"])
    without.pop("order")
    schemas.append({"tables": SCHEMA["tables"] | {"visits": without}})
    for schema in schemas:
        assert not released(tmp_path, frames(NOTHING), schema=schema, budget=100).repeated
    assert len(Ledger(tmp_path / "ledger").account("shop").charges) == len(schemas)
    again = {"tables": dict(reversed(list(SCHEMA["tables"].items())))}
    assert released(tmp_path, frames(NOTHING), schema=again, n=7).repeated


def test_noise_is_drawn_after_the_one_charge_and_never_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    for owner, name in ((Ledger, "charge"), (noise, "added"), (noise, "selected")):
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *a, real=real, name=name, **k: (order.append(name), real(*a, **k))[1])
    released(tmp_path, people(20))
    assert order[0] == "charge" and order.count("charge") == 1 and {"added", "selected"} == set(order[1:])
    order.clear()
    with pytest.raises(BudgetError):
        released(tmp_path, people(20), epsilon=2.0)
    assert not order


def test_what_fails_after_the_charge_has_cost_what_it_costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "added", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        released(tmp_path, people(20))
    (charge,) = Ledger(tmp_path / "ledger").account("shop").charges
    assert charge.loss.epsilon == 1 and charge.release is None


def test_a_ledger_says_what_was_asked(piiscan: Run, tmp_path: Path) -> None:
    released(tmp_path, people(20))
    shown = piiscan("budget", "show", "--ledger", tmp_path / "ledger").stdout
    assert "synthetic tables customers, items, visits, unit customer" in shown
