"""`piiscan aggregate` as people type it, and `piiscan.aggregate` for frames."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
from conftest import ROOT, Run
from dp_tables import privately

from piiscan import aggregate, aggregate_privately
from piiscan.aggregates.disclosure_rules import Rules
from piiscan.aggregates.request import AggregateRequest
from piiscan.aggregates.run import aggregate_and_note
from piiscan.core.errors import BudgetError, UsageError
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.rules import rule_sets
from piiscan.scanning.scan_options import ScanOptions

SCHEMA = json.loads((ROOT / "piiscan" / "report" / "schemas" / "aggregate-1.json").read_text())
PRIVATE = [
    "--epsilon",
    "60",
    "--bounds",
    "age=0:120",
    "--bounds",
    "pay=0:8000",
    "--categories",
    "dept=sales,legal,board",
    "--one-row-per-person",
]


def frame(seed: int = 1, n: int = 600) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    age = random.integers(20, 66, n)
    return pl.DataFrame(
        {
            "member": [f"m{i // 2:05}x" for i in range(n)],
            "dept": ["sales", "legal", "sales", "ops", "legal", "sales"] * (n // 6 - 1) + ["board"] * 2 + ["ops"] * 4,
            "site": random.choice(["north", "south", "west"], n, p=[0.5, 0.45, 0.05]),
            "age": age,
            "pay": (1000 + 60 * age + random.normal(0, 400, n)).round(2),
        }
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    frame().write_csv(path)
    return path


def released(piiscan: Run, data: Path, *options: str, status: int = 0) -> Any:
    target = data.parent / "told.json"
    target.unlink(missing_ok=True)
    done = piiscan("aggregate", data, *options, "-o", target)
    assert done.returncode == status, done.stderr
    if status:
        assert not target.exists() and not done.stdout
        return done
    release = json.loads(target.read_text())
    jsonschema.validate(release, SCHEMA)
    return release


def test_figures_of_groups(piiscan: Run, data: Path) -> None:
    release = released(piiscan, data, "--by", "dept", "--columns", "age,pay")
    assert [g["key"] for g in release["groups"]] == [["legal"], ["ops"], ["sales"]]
    assert release["withheld"] == {"groups": 1, "totals": 0} and "board" not in json.dumps(release)
    for g in release["groups"]:
        real = frame().filter(dept=g["key"][0])
        assert g["count"] == len(real)
        assert g["mean"] == pytest.approx([real["age"].mean(), real["pay"].mean()])
        assert g["std"] == pytest.approx([real["age"].std(), real["pay"].std()])
        assert g["correlation"][0][1] == pytest.approx(np.corrcoef(real["age"], real["pay"])[0, 1])
        assert g["reconstruction"] == {"cells": 2 * len(real), "figures": 5, "freedom": 2 * len(real) - 5}


def test_csv_on_standard_output_and_words_beside_it(piiscan: Run, data: Path) -> None:
    done = piiscan("aggregate", data, "--by", "dept", "--columns", "age,pay")
    lines = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [line["dept"] for line in lines] == ["legal", "ops", "sales"]
    assert set(lines[0]) == {
        "dept",
        "count",
        "mean(age)",
        "std(age)",
        "mean(pay)",
        "std(pay)",
        "correlation(age,pay)",
        "freedom",
    }
    assert "3 of 4 groups" in done.stderr and "board" not in done.stderr + done.stdout


def test_the_report_is_for_whoever_holds_the_data_and_names_no_withheld_group(piiscan: Run, data: Path) -> None:
    report = data.parent / "report.json"
    released(piiscan, data, "--by", "dept", "--columns", "age,pay", "--totals", "all", "--report", str(report))
    release = json.loads(report.read_text())
    assert "not part of the release" in release["note"]
    assert (
        release["groups"] == {"published": 2, "withheld": 2}
        and release["complementary"] == 1
        and release["withheld_for"]["smaller than min-group"] == 1
    )
    assert "board" not in report.read_text() and "ops" not in report.read_text()


def test_a_total_gives_no_group_away(piiscan: Run, data: Path) -> None:
    release = released(piiscan, data, "--by", "dept,site", "--columns", "pay", "--totals", "all")
    counts = {tuple(g["key"]): g["count"] for g in release["groups"]}
    assert counts["(all)", "(all)"] == 600
    assert min(counts.values()) >= 10
    assert 600 - sum(n for (a, b), n in counts.items() if "(all)" not in (a, b)) >= 10
    nested = released(piiscan, data, "--by", "dept,site", "--columns", "pay", "--totals", "nested")
    assert not [g for g in nested["groups"] if g["key"][0] == "(all)" and g["key"][1] != "(all)"]


@pytest.mark.parametrize("batch_rows", [97, 350])
def test_the_same_bytes_for_any_batches(batch_rows: int) -> None:
    wanted = AggregateRequest(("dept", "site"), ("age", "pay"), Rules(), "member", "all")
    texts = {
        aggregate_and_note(Source(data, None, options), wanted, rule_sets.load(()), ScanOptions(jobs=jobs)).to_json()
        for data, options, jobs in (
            (frame(), ReadOptions(), 1),
            (frame(), ReadOptions(batch_rows=batch_rows), 2),
            (frame().reverse(), ReadOptions(batch_rows=batch_rows), 3),
        )
    }
    assert len(texts) == 1


def test_any_format_and_any_kind_of_frame(piiscan: Run, data: Path) -> None:
    expected = aggregate(frame(), "dept", ["age", "pay"]).to_csv()
    assert (
        aggregate(frame().to_pandas(), "dept", ["age", "pay"]).to_csv()
        == aggregate(data, "dept", ["age", "pay"]).to_csv()
        == expected
    )
    frame().write_parquet(parquet := data.with_suffix(".parquet"))
    frame().write_ndjson(lines := data.with_suffix(".jsonl"))
    for path in (parquet, lines):
        assert piiscan("aggregate", path, "--by", "dept", "--columns", "age,pay").stdout == expected


def test_people_are_counted_where_rows_are_somebody_s() -> None:
    """Twelve rows of three people are a group of three."""
    few = pl.DataFrame(
        {
            "dept": ["a"] * 40 + ["b"] * 12,
            "member": [*range(40), *([90, 91, 92] * 4)],
            "pay": [i % 9 for i in range(52)],
        }
    )
    assert len(aggregate(few, "dept", "pay").groups) == 2
    release = aggregate(few, "dept", "pay", unit="member")
    assert [(g.key, g.units) for g in release.groups] == [(("a",), 40)]


def test_what_one_makes_most_of_is_withheld() -> None:
    giant = pl.DataFrame({"branch": ["a"] * 20 + ["b"] * 20, "sales": [10] * 19 + [100_000] + list(range(50, 70))})
    assert [g.key for g in aggregate(giant, "branch", "sales").groups] == [("b",)]
    assert len(aggregate(giant, "branch", "sales", p_percent=0).groups) == 2
    assert [g.key for g in aggregate(giant, "branch", "sales", p_percent=0, dominance=(1, 50)).groups] == [("b",)]


def test_where_everybody_has_the_same_value_the_mean_is_everybody_s() -> None:
    same = pl.DataFrame({"dept": ["a"] * 20 + ["b"] * 20, "sick_days": [4] * 20 + list(range(20))})
    assert [g.key for g in aggregate(same, "dept", "sick_days").groups] == [("b",)]


def test_rows_in_which_a_number_is_missing_count_nowhere() -> None:
    holes = pl.DataFrame(
        {"dept": ["a"] * 30, "x": [*range(28), None, 5], "y": [None, *(i * i for i in range(29))]}, strict=False
    )
    release = aggregate(holes, "dept", ["x", "y"])
    whole = holes.drop_nulls()
    assert release.groups[0].count == 28 == len(whole) and release.groups[0].mean == (
        whole["x"].mean(),
        whole["y"].mean(),
    )
    assert release.report["rows_with_missing_numbers"] == 2


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"min_group": 2}, "at least 3"),
        ({"columns": "site"}, "column site: some cells aren't plain decimal numbers"),
        ({"by": "nobody"}, "column nobody"),
        ({"columns": "dept"}, "named twice"),
        ({"by": "pay"}, "nearly as many groups"),
        ({"by": "email"}, "direct identifiers (EMAIL_ADDRESS)"),
        ({"by": ["dept", "site", "age"], "columns": "pay", "totals": "all"}, "nested"),
        ({"min_group": 500}, "none of its 4 groups"),
        ({"dominance": (2, 100)}, "such as 2,85"),
    ],
)
def test_what_is_refused(asked: dict[str, Any], message: str) -> None:
    people = frame().with_columns(email=pl.format("anna{}@example.org", pl.int_range(pl.len()) // 20))
    with pytest.raises(UsageError) as error:
        aggregate(people, **{"by": "dept", "columns": "age"} | asked)
    assert message in str(error.value)
    assert not any(value in str(error.value) for value in ("anna", "m00001x", "north", "board"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--epsilon", "1", "--min-group", "5"], "leave it out"),
        (["--delta", "1e-9"], "it needs --epsilon"),
        (["--epsilon", "1"], "whose rows"),
        (["--epsilon", "1", "--one-row-per-person"], "--bounds age=LOW:HIGH"),
        (["--dominance", "2"], "2,85"),
    ],
)
def test_options_that_don_t_go_together(piiscan: Run, data: Path, options: list[str], message: str) -> None:
    done = released(piiscan, data, "--by", "dept", "--columns", "age", *options, status=2)
    assert message in done.stderr


def test_releases_are_noted_and_held_against_each_other(piiscan: Run, data: Path) -> None:
    ledger = str(data.parent / "ledger.sqlite")
    first = piiscan("aggregate", data, "--by", "dept", "--columns", "pay", "--dataset", "staff@1", "--ledger", ledger)
    assert "Other releases" not in first.stderr
    again = piiscan("aggregate", data, "--by", "dept", "--columns", "pay", "--dataset", "staff@1", "--ledger", ledger)
    assert "Other releases" not in again.stderr  # the very same tells nothing new
    other = piiscan("aggregate", data, "--by", "site", "--columns", "pay", "--dataset", "staff@1", "--ledger", ledger)
    assert (
        "Other releases are known: compare aggregates by dept (rows 10 at least, p-percent 10, no totals), "
        "version 1 and" in other.stderr
    )
    shown = piiscan("budget", "show", "--ledger", ledger).stdout
    assert "no totals), version 1 of site, pay: no epsilon covers it" in shown and "compare aggregates by dept" in shown
    (data.parent / "piiscan-ledger.sqlite").write_bytes(
        b"spoiled"
    )  # beside the data: what can't be noted isn't released
    assert "error: ledger" in released(piiscan, data, "--by", "dept", "--columns", "pay", status=2).stderr


def test_differential_privacy_withholds_nothing(piiscan: Run, data: Path) -> None:
    release = released(piiscan, data, "--by", "dept", "--columns", "age,pay", *PRIVATE)
    keys = ["sales", "legal", "board", "(other)", "(missing)"]
    assert [g["key"] for g in release["groups"]] == [[k] for k in keys] and release["rules"] is None
    assert release["privacy"]["epsilon"] == 60 and len(release["queries"]) == 6
    assert sum(q["share"] for q in release["queries"]) == pytest.approx(60)
    for g in release["groups"][:2]:  # twelve times the accuracy: by chance once in 10¹⁵
        real, off = frame().filter(dept=g["key"][0]), g["accuracy"]
        assert abs(g["count"] - len(real)) <= 12 * off["count"]
        for i, name in enumerate(("age", "pay")):
            assert abs(g["mean"][i] - real[name].mean()) <= 12 * off["mean"][i]
            assert abs(g["std"][i] - real[name].std()) <= 12 * off["std"][i]
        assert (
            abs(g["correlation"][0][1] - np.corrcoef(real["age"], real["pay"])[0, 1]) <= 12 * off["correlation"][0][1]
        )
    again = released(piiscan, data, "--by", "dept", "--columns", "age,pay", *PRIVATE)
    assert again == release  # the same question is free
    rows = piiscan("unpack", data.parent / "told.json", "--seed", "3")
    assert rows.returncode == 0 and rows.stdout.startswith("dept,age,pay")
    refused = released(piiscan, data, "--by", "dept", "--columns", "age", *PRIVATE, status=6)
    assert "epsilon 60" in refused.stderr


def test_differential_privacy_by_unit_and_two_columns(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "by": ["dept", "site"],
        "columns": ["age", "pay"],
        "epsilon": 500.0,
        "delta": 1e-9,
        "unit": "member",
        "max_rows": 2,
        "dataset": "staff",
        "bounds": {"age": (0, 120), "pay": (0, 8000)},
        "categories": {"dept": ["sales", "legal", "ops"], "site": ["north", "south"]},
        "ledger": tmp_path / "ledger.sqlite",
    }
    release = privately(aggregate_privately, frame(), **asked)
    assert len(release.groups) == 5 * 4
    (group,) = (g for g in release.groups if g.key == ("sales", "north"))
    real = frame().filter(dept="sales", site="north")
    assert abs(group.count - len(real)) <= 12 * (group.accuracy or {})["count"]
    with pytest.raises(BudgetError):
        privately(aggregate_privately, frame(), **asked | {"columns": ["age"]})
    with pytest.raises(UsageError, match="whose rows"):
        privately(aggregate_privately, frame(), **asked | {"one_row_per_person": True})


def test_nothing_that_is_read_is_written_over(piiscan: Run, tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("dept,pay\n" + "a,1\nb,2\n" * 50)
    for options in (["-o", data], ["--report", data, "-o", tmp_path / "out.csv"]):
        done = piiscan("aggregate", data, "--by", "dept", "--columns", "pay", *options)
        assert done.returncode == 2 and "choose another output" in done.stderr
    done = piiscan("unpack", data, "--seed", "1", "-o", data)
    assert done.returncode == 2 and "choose another output" in done.stderr
    assert data.read_text().startswith("dept,pay")


def test_what_is_there_is_replaced_only_when_asked(piiscan: Run, tmp_path: Path) -> None:
    data, target, report, rows = (tmp_path / name for name in ("data.csv", "told.json", "report.json", "rows.csv"))
    data.write_text("dept,pay\n" + "".join(f"a,{i}\nb,{3 * i}\n" for i in range(50)))
    aggregate = ("aggregate", data, "--by", "dept", "--columns", "pay", "-o", target, "--report", report)
    unpack = ("unpack", target, "--seed", "3", "-o", rows)
    for call, files in ((aggregate, (target, report)), (unpack, (rows,))):
        assert piiscan(*call).returncode == 0
        for file in files:
            made = file.read_bytes()
            file.write_text("mine")
            done = piiscan(*call)
            assert done.returncode == 2 and "exists; name another output" in done.stderr
            assert file.read_text() == "mine"
            assert piiscan(*call, "--overwrite").returncode == 0
            assert file.read_bytes() == made


def test_no_cell_but_the_names_of_published_groups_comes_out(piiscan: Run, tmp_path: Path) -> None:
    """Not in what is released, nor in the report, nor on the terminal; and not where a cell is an error."""
    path, target, report = (tmp_path / name for name in ("data.csv", "told.json", "report.json"))
    rows = [("sales", f"{7000 + i}.137") for i in range(40)] + [("zyxgroup", f"{9000 + i}.731") for i in range(2)]
    path.write_text("dept,pay\n" + "".join(f"{dept},{pay}\n" for dept, pay in rows))
    done = piiscan("aggregate", path, "--by", "dept", "--columns", "pay", "-o", target, "--report", report)
    assert done.returncode == 0, done.stderr
    said = done.stdout + done.stderr + target.read_text() + report.read_text()
    assert "zyxgroup" not in said and not any(pay in said for _, pay in rows)
    path.write_text(path.read_text() + "sales,qwxcanary\n")
    wrong = piiscan("aggregate", path, "--by", "dept", "--columns", "pay")
    assert wrong.returncode == 2 and "qwxcanary" not in wrong.stdout + wrong.stderr
