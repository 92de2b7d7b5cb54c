"""Linked synthetic tables beside the real ones: figures counted by hand, laws, the stamp, what must not be named."""

from __future__ import annotations

import json
import math
import sys
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
from conftest import ROOT, run_piiscan
from referencing import Registry, Resource
from test_linked import SCHEMA, _toml, load_changed, people

import piiscan
from piiscan.core.errors import MissingExtra, UsageError

STAMP = "not differentially private: do not release"
FOLDER = ROOT / "piiscan" / "report" / "schemas"
PARTS = {p.name: json.loads(p.read_text(encoding="utf-8")) for p in FOLDER.glob("evaluation-*.json")}
VALIDATOR = jsonschema.Draft202012Validator(
    PARTS["evaluation-tables-1.json"],
    registry=Registry().with_resources((name, Resource.from_contents(part)) for name, part in PARTS.items()),
)
REAL = people(400)


def with_other_parents(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The same rows, of which each visit refers to another customer, drawn by chance."""
    visits = tables["visits"]
    return tables | {"visits": visits.with_columns(visits["customer"].shuffle(seed=3))}


@cache
def with_a_control() -> piiscan.TablesEvaluation:
    return piiscan.evaluate_tables(REAL, with_other_parents(REAL), SCHEMA, control=people(60))


def distance(real: pl.DataFrame, made: pl.DataFrame, columns: list[str]) -> float:
    """Total variation distance by counting."""
    counts = [t.group_by(columns).len().with_columns(pl.col("len") / t.height) for t in (real, made)]
    joined = counts[0].join(counts[1], on=columns, how="full", coalesce=True).fill_null(0)
    return float((joined["len"] - joined["len_right"]).abs().sum() / 2)


def test_distances_across_a_join_are_those_of_counting() -> None:
    made = with_other_parents(REAL)
    found = piiscan.evaluate_tables(REAL, made, SCHEMA).links
    bins = (pl.col("age") >= 30).cast(pl.Int64) + (pl.col("age") >= 60).cast(pl.Int64)
    customers = REAL["customers"].with_columns(age=bins)
    joined = [tables["visits"].join(customers, on="customer") for tables in (REAL, made)]
    (to_customers,) = found["visits"].across
    assert to_customers.above == "customers"
    pairs = to_customers.pairs
    assert pairs.rows == ("visits.day", "visits.channel") and pairs.columns == ("customers.age", "customers.dept")
    expected = [[distance(*joined, [own, above]) for above in ("age", "dept")] for own in ("day", "channel")]
    assert np.allclose(pairs.synthetic, expected)
    assert math.isclose(pairs.distance.mean, np.mean(expected)) and math.isclose(pairs.distance.worst, np.max(expected))
    assert pairs.distance.worst_columns == ("visits.channel", "customers.dept")
    assert [across.above for across in found["items"].across] == ["visits", "customers"]
    below = [REAL["items"].join(rows, on="visit") for rows in joined]
    assert np.allclose(
        found["items"].across[1].pairs.synthetic, [[distance(*below, ["kind", a]) for a in ("age", "dept")]]
    )


def test_a_lost_link_shows_only_across_it() -> None:
    e = piiscan.evaluate_tables(REAL, with_other_parents(REAL), SCHEMA)
    assert all(own is not None and all(d.mean == 0 for d in own.distances) for own in e.tables.values())
    lost, kept = e.links["visits"].across[0].pairs.distance, e.links["items"].across[0].pairs.distance
    assert kept.mean == 0 < kept.floor and lost.mean > 5 * lost.floor
    assert e.links["items"].number is not None and e.links["items"].number.distance == 0


def test_tables_are_nearest_to_themselves_in_any_order_and_under_other_keys() -> None:
    """Synthetic keys are made up: only which rows refer to which counts."""
    ids = {key: str(i + 1) for i, key in enumerate(REAL["customers"]["customer"].to_list())}
    made = {
        name: frame.with_columns(pl.col("customer").replace_strict(ids).cast(pl.Int64))
        if "customer" in frame
        else frame
        for name, frame in REAL.items()
    }
    made = {name: frame.sample(fraction=1, shuffle=True, seed=4) for name, frame in made.items()}
    e = piiscan.evaluate_tables(REAL, made, SCHEMA)
    for link in e.links.values():
        assert link.unlinked == link.cut == 0
        assert link.number is not None and link.number.distance == 0
        assert all(across.pairs.distance.worst == 0 for across in link.across)
    assert e.links["visits"].gap is not None and e.links["visits"].gap.distance == 0
    again = piiscan.evaluate_tables(REAL, made, SCHEMA)
    assert again.to_json() == e.to_json()


def test_numbers_gaps_and_what_no_release_can_have_are_those_of_counting() -> None:
    def tables(days: list[tuple[str | None, str | None]]) -> dict[str, pl.DataFrame]:
        visits = [(f"v{i}", key, day, "web") for i, (key, day) in enumerate(days)]
        return {
            "customers": pl.DataFrame(
                {"customer": ["1", "1.0", "2", "3", None], "age": [5] * 5, "dept": ["a"] * 5}
            ),  # 1 and 1.0 are the same key
            "visits": pl.DataFrame(visits, schema=["visit", "customer", "day", "channel"], orient="row"),
            "items": pl.DataFrame({"visit": ["v0", "v0", "v0", "ghost"], "kind": ["x"] * 4}),
        }

    real = tables(
        [("1", f"2024-01-0{d}") for d in (9, 3, 1, 4, 4)] + [("2", "x"), ("2", "2024-01-02"), (None, None), ("?", "x")]
    )
    made = tables([("1", "2024-01-01"), ("2", "2024-01-02"), ("2", "2024-01-03"), ("3", "2024-01-03")])
    e = piiscan.evaluate_tables(real, made, SCHEMA)
    visits, items = e.links["visits"], e.links["items"]
    assert visits.unlinked == pytest.approx(2 / 9) and visits.cut == pytest.approx(2 / 7)  # five of three count
    assert visits.number is not None and visits.number.numbers is not None
    assert visits.number.labels == ("0", "1", "2", "3 or more", "(missing)")
    assert np.allclose(visits.number.real, [1 / 3, 0, 1 / 3, 1 / 3, 0])
    assert np.allclose(visits.number.synthetic, [0, 2 / 3, 1 / 3, 0, 0])
    assert visits.number.numbers.real.mean == pytest.approx(7 / 3)
    assert visits.number.numbers.beyond == pytest.approx(1 / 3)
    assert visits.gap is not None and visits.gap.numbers is not None
    assert visits.gap.numbers.real.mean == pytest.approx((2 + 1 + 0 + 5) / 4)  # days 1, 3, 4, 4, 9
    assert visits.gap.numbers.synthetic.mean == 1
    assert items.unlinked == 0.25 and items.cut == pytest.approx(1 / 3) and items.gap is None


def test_days_are_compared_as_days_however_they_are_written() -> None:
    texts = REAL | {"visits": REAL["visits"].with_columns(pl.col("day").cast(pl.String) + " 10:00:00")}
    e = piiscan.evaluate_tables(REAL, texts, SCHEMA)
    assert e.tables["visits"] is not None
    day = e.tables["visits"].columns[0]
    assert day.distance == 0 and day.labels[0] == "2024-01-01" and day.labels[-1] == "(missing)"
    wide = load_changed(visits={"columns": {"day": {"dates": [date(2023, 1, 1), date(2024, 12, 31)]}}})
    own = piiscan.evaluate_tables(REAL, texts, wide).tables["visits"]
    assert own is not None and own.columns[0].labels[10] == "2024-01-02 to 2024-02-06"
    assert sum(own.columns[0].real[9:11]) == pytest.approx(1)


def test_tables_without_rows_are_nothing_to_compare() -> None:
    made = REAL | {"items": REAL["items"].clear(), "visits": REAL["visits"].with_columns(customer=pl.lit("ghost"))}
    e = piiscan.evaluate_tables(REAL, made, SCHEMA)
    assert e.tables["items"] is None and e.tables["visits"] is not None
    assert e.links["visits"].across == () and e.links["visits"].gap is None
    assert e.links["items"].number is not None and e.links["items"].number.synthetic[0] == 1
    VALIDATOR.validate(json.loads(e.to_json()))
    assert "There is nothing to compare" in e.to_markdown()
    none = piiscan.evaluate_tables({name: frame.clear() for name, frame in REAL.items()}, made, SCHEMA)
    assert set(none.tables.values()) == {None} and none.links["visits"].number is None
    assert none.links["visits"].unlinked is None and none.links["visits"].cut is None
    VALIDATOR.validate(json.loads(none.to_json()))


def test_of_many_pairs_some_are_compared() -> None:
    wide = [{f"{table}{i}": {"categories": ["x", "y"]} for i in range(40)} for table in "ab"]
    schema = {
        "tables": {"a": {"key": "k", "columns": wide[0]}, "b": {"parent": "a", "max_rows": 2, "columns": wide[1]}}
    }
    random = np.random.default_rng(5)
    real, made = (
        {name: pl.DataFrame({"k": range(30)} | {c: random.choice(["x", "y"], 30) for c in of}) for name, of in
         zip("ab", wide, strict=True)}
        for _ in range(2)
    )  # fmt: skip
    both = [piiscan.evaluate_tables(real, made, schema) for _ in range(2)]
    found = [evaluation.links["b"].across[0].pairs for evaluation in both]
    assert (found[0].distance.groups, found[0].distance.compared) == (1600, 1000)
    assert found[0].synthetic == () and found[0] == found[1]
    assert "a (1,000 of 1,600)" in both[0].to_markdown()


def test_everything_that_is_written_is_stamped(tmp_path: Path) -> None:
    """And no key is in it, nor a column that isn't declared."""
    e = with_a_control()
    assert e.to_markdown().splitlines()[0].lower() == f"**{STAMP}.**"
    data = json.loads(e.to_json())
    assert next(iter(data.items())) == ("stamp", STAMP)
    assert all(table["evaluation"]["stamp"] == STAMP for table in data["tables"])
    VALIDATOR.validate(data)
    images = e.write_plots(tmp_path / "my plots")
    pictures = sorted((tmp_path / "my plots").rglob("*.svg"))
    assert len(pictures) == len(images)
    texts = [picture.read_text(encoding="utf-8") for picture in pictures]
    assert all(f">{STAMP}</text>" in text for text in texts)
    markdown = e.to_markdown(images)
    assert all(image in markdown for image in images.values())
    assert "](my%20plots/02-visits/number.svg)" in markdown and "02-visits/across-01-customers.svg" in markdown
    assert not any("key-" in text for text in (*texts, markdown, e.to_json(), repr(e)))
    assert e.tables["items"] is not None and e.tables["items"].attack is not None
    e.save(tmp_path / "report.md")
    e.save(tmp_path / "report.json")
    assert (tmp_path / "report.md").read_text() == e.to_markdown()


@pytest.mark.parametrize(
    ("real", "made", "control", "problem"),
    [
        (REAL, {"customers": REAL["customers"]}, None, "table visits: the schema declares it"),
        (REAL, REAL | {"visits": REAL["visits"].drop("day")}, None, "the synthetic visits table: column day"),
        (REAL | {"visits": REAL["visits"].drop("customer")}, REAL, None, "the real visits table: column customer"),
        (REAL, REAL, people(30), "table customers: the control table has 30 rows; an attack needs at least 40"),
        (REAL, 1, None, "data must be tables by name"),
    ],
)
def test_what_cannot_be_compared(real: Any, made: Any, control: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        piiscan.evaluate_tables(real, made, SCHEMA, control=control)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, tables in (("in", REAL), ("made", with_other_parents(REAL)), ("others", people(60))):
        (tmp_path / name).mkdir()
        for table, frame in tables.items():
            frame.write_csv(tmp_path / name / f"{table}.csv")
    (tmp_path / "shop.toml").write_text(_toml(), encoding="utf-8")
    return tmp_path


ASKED = ("synthesize", "in", "--schema", "shop.toml", "--unit", "customer", "--epsilon", "20", "-o", "out")


def test_an_evaluation_is_written_beside_the_tables(folder: Path) -> None:
    done = run_piiscan(*ASKED, "--evaluate", "report.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Wrote report.json. Its figures are exact, and no epsilon covers them" in done.stderr
    expected = piiscan.evaluate_tables(folder / "in", folder / "out", folder / "shop.toml")
    assert (folder / "report.json").read_text(encoding="utf-8") == expected.to_json()
    assert b"do not release" not in (folder / "in" / "piiscan-ledger.sqlite").read_bytes()
    again = run_piiscan(*ASKED, "--evaluate", "report.md", "--overwrite", cwd=folder)
    assert again.returncode == 0 and "for free" in again.stderr
    assert (folder / "report.md").read_text(encoding="utf-8") == expected.to_markdown()


@pytest.mark.parametrize("report", ["in/visits.csv", "shop.toml", "out/visits.csv", "there.md", "gone/report.md"])
def test_a_report_replaces_nothing_and_is_refused_before_anything_is_charged(folder: Path, report: str) -> None:
    (folder / "there.md").write_text("mine")
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    done = run_piiscan(*ASKED, "--evaluate", report, cwd=folder)
    assert done.returncode == 2
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


def test_without_scikit_learn_nothing_is_charged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    done = run_piiscan(*ASKED, "--evaluate", "report.md", cwd=folder)
    assert done.returncode == 3 and "piiscan-toolkit[train]" in done.stderr
    assert not list(folder.rglob("*.sqlite")) and not (folder / "out").exists()
    with pytest.raises(MissingExtra):
        piiscan.evaluate_tables(REAL, REAL, SCHEMA)


def test_the_command_compares_folders(folder: Path) -> None:
    asked = ("evaluate", "in", "made", "--schema", "shop.toml")
    done = run_piiscan(*asked, "--control", "others", "-o", "report.md", "--plots", "plots", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "only for people who may see in." in done.stderr
    expected = with_a_control()
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert "](plots/02-visits/across-01-customers.svg)" in text and (folder / "plots/02-visits/number.svg").is_file()
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("!["))
    assert plain.split() == expected.to_markdown().split()
    shown = run_piiscan(*asked, cwd=folder)
    assert shown.returncode == 0 and shown.stdout.lower().startswith(f"**{STAMP}.**")


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (["--target", "dept"], "--target is about one table"),
        (["--table", "visits"], "--table is about one table"),
        (["--control", "shop.toml"], "table customers: there is no file of its name"),
        (["-o", "made/visits.csv", "--overwrite"], "choose another output"),
    ],
)
def test_folders_that_cannot_be_compared(folder: Path, more: list[str], problem: str) -> None:
    before = (folder / "made" / "visits.csv").read_bytes()
    done = run_piiscan("evaluate", "in", "made", "--schema", "shop.toml", *more, cwd=folder)
    assert done.returncode == 2 and problem in done.stderr
    assert (folder / "made" / "visits.csv").read_bytes() == before


def test_folders_need_a_schema_of_tables(folder: Path) -> None:
    (folder / "one.toml").write_text('[columns]\ndept.categories = ["a", "b"]\n')
    done = run_piiscan("evaluate", "in", "made", "--schema", "one.toml", cwd=folder)
    assert done.returncode == 2 and "in is a folder: for several tables, one.toml has to declare" in done.stderr
