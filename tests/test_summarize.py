"""`piiscan summarize` and `piiscan budget` as people type them, and `piiscan.summarize` for frames."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from conftest import ROOT, Run
from dp_tables import privately

import piiscan
from piiscan.core.errors import BudgetError, ReadError, UsageError
from piiscan.dp.accounting import Budget
from piiscan.dp.ledger import Ledger

SCHEMA = json.loads((ROOT / "piiscan" / "report" / "schemas" / "summary-1.json").read_text())
ROWS = 3000
SCORES = [(i * 7) % 121 for i in range(ROWS)]
DEPTS = ["a", "b", "c", "zz", ""]
PERSON = "--one-row-per-person"


def frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "desk": [f"p{i // 2}" for i in range(ROWS)],
            "score": SCORES,
            "dept": [DEPTS[i % 5] for i in range(ROWS)],
            "city": ["X" if i % 2 else f"village {i}" for i in range(ROWS)],
        }
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    frame().write_csv(path)
    return path


def released(piiscan: Run, data: Path, *options: str, status: int = 0) -> Any:
    target = data.parent / "summary.json"
    target.unlink(missing_ok=True)
    done = piiscan("summarize", data, *options, "-o", target)
    assert done.returncode == status, done.stderr
    if status:
        assert not target.exists() and not done.stdout
        return done
    release = json.loads(target.read_text())
    jsonschema.validate(release, SCHEMA)
    return release


def near(figure: dict[str, float], exact: float) -> bool:
    """Within twelve times the accuracy: by chance once in 10¹⁵."""
    return abs(figure["value"] - exact) <= 12 * figure["accuracy"]


def test_everything_there_is_to_ask(piiscan: Run, data: Path) -> None:
    release = released(
        piiscan,
        data,
        "--epsilon",
        "50",
        "--delta",
        "1e-6",
        PERSON,
        "--bounds",
        "score=0:120",
        "--edges",
        "score=18,65",
        "--categories",
        "dept=a,b,c",
        "--private-keys",
        "city",
        "--by",
        "dept",
        "--by",
        "city",
        "--cross",
        "dept,score",
        "--budget",
        "100",
        "--dataset",
        "people@2026",
    )
    assert release["dataset"] == {"name": "people", "version": "2026"}
    assert release["privacy"]["epsilon"] == 50 and release["privacy"]["delta"] == 1e-6
    assert near(release["rows"], ROWS)
    score, dept, city = release["columns"]
    mean = sum(SCORES) / ROWS
    assert near(score["count"], ROWS) and near(score["sum"], sum(SCORES)) and near(score["mean"], mean)
    assert near(score["variance"], sum((s - mean) ** 2 for s in SCORES) / ROWS)
    for q in score["quantiles"]:
        below, upto = sum(s < q["value"] for s in SCORES), sum(s < q["value"] + q["width"] for s in SCORES)
        assert below - 12 * q["accuracy_ranks"] <= q["p"] * ROWS <= upto + 12 * q["accuracy_ranks"]
    bins = [sum(low <= s < high for s in SCORES) for low, high in ((0, 18), (18, 65), (65, 121))]
    assert score["histogram"]["bins"] == ["[0, 18)", "[18, 65)", "[65, 120]"]
    assert all(
        abs(n - exact) <= 12 * score["histogram"]["accuracy"]
        for n, exact in zip(score["histogram"]["counts"], bins, strict=True)
    )
    assert dept["histogram"]["bins"] == ["a", "b", "c", "(other)"]
    assert all(
        abs(n - ROWS / 5) <= 12 * dept["histogram"]["accuracy"]
        for n in (*dept["histogram"]["counts"], dept["histogram"]["missing"])
    )
    assert [k["key"] for k in city["keys"]["found"]] == [
        "X"
    ]  # and nothing of the villages, not even how many there are
    assert "village" not in json.dumps(release)
    (table,) = release["tables"]
    assert [c["key"] for c in table["cells"]][:2] == [["a", "[0, 18)"], ["a", "[18, 65)"]] and len(
        table["cells"]
    ) == 5 * 4
    by_dept, by_city = release["groups"]
    assert [g["key"] for g in by_dept["groups"]] == [["a"], ["b"], ["c"], ["(other)"], ["(missing)"]]
    assert [g["key"] for g in by_city["groups"]] == [["X"]]
    odd = SCORES[1::2]
    assert near(by_city["groups"][0]["columns"]["score"]["mean"], sum(odd) / len(odd))


def test_each_figure_says_how_it_came_about(piiscan: Run, data: Path) -> None:
    release = released(
        piiscan,
        data,
        "--epsilon",
        "1",
        "--unit",
        "desk",
        "--max-rows",
        "3",
        "--bounds",
        "score=0:120",
        "--statistics",
        "mean",
    )
    queries = {q["query"]: q for q in release["queries"]}
    assert set(queries) == {"count", "count of score", "sum of score"}
    assert sum(q["share"] for q in queries.values()) == pytest.approx(1)
    assert queries["count"] == {
        "query": "count",
        "share": 1 / 3,
        "sensitivity": 3,
        "scale": 9.0,
        "accuracy": 28,
        "unit": "1 row",
    }
    assert queries["sum of score"]["sensitivity"] == 3 * 60_000 and queries["sum of score"]["unit"] == "0.001"
    assert "all rows of one value of desk" in release["privacy"]["neighbours"]
    assert release["privacy"]["max_rows"] == release["privacy"]["max_groups"] == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bounds", "score=0:120"], "--unit COLUMN"),
        ([PERSON, "--unit", "desk", "--bounds", "score=0:120"], "one of the two"),
        ([PERSON], "--bounds score=0:120"),
        ([PERSON, "--columns", "dept"], "--categories dept=A,B,C"),
        ([PERSON, "--columns", "score"], "--estimate-bounds score"),
        ([PERSON, "--bounds", "score=120:0"], "column score: the lower bound"),
        ([PERSON, "--bounds", "score"], "score=0:120"),
        ([PERSON, "--bounds", "score=a:b"], "is not a number"),
        ([PERSON, "--bounds", "score=0:1", "--bounds", "score=0:2"], "declared twice"),
        ([PERSON, "--bounds", "score=0:1", "--categories", "score=a"], "declared twice"),
        ([PERSON, "--bounds", "nothing=0:1"], "column nothing: there is none"),
        ([PERSON, "--edges", "score=5"], "--bounds score=LOW:HIGH"),
        ([PERSON, "--categories", "dept=a", "--by", "city"], "--private-keys city"),
        ([PERSON, "--private-keys", "city"], "--delta 1e-9"),
        ([PERSON, "--entity", "score=INCOME"], "--bounds score=LOW:HIGH"),
        ([PERSON, "--entity", "score=AGES"], "is not an entity"),
        ([PERSON, "--bounds", "score=0:1", "--statistics", "median"], "quantiles"),
        ([PERSON, "--max-rows", "2", "--bounds", "score=0:1"], "max-rows needs --unit"),
    ],
)
def test_what_isn_t_said_is_asked_for(piiscan: Run, data: Path, options: list[str], message: str) -> None:
    done = released(piiscan, data, "--epsilon", "1", *options, status=2)
    assert message in done.stderr
    assert not (data.parent / "piiscan-ledger.sqlite").exists()


def test_a_schema_file_says_it_too(piiscan: Run, data: Path) -> None:
    schema = data.parent / "schema.toml"
    schema.write_text('[columns.score]\nentity = "AGE"\nedges = [18, 65]\n[columns.dept]\ncategories = ["a", "b,c"]\n')
    release = released(
        piiscan, data, "--epsilon", "1", PERSON, "--schema", schema.as_posix(), "--statistics", "histogram"
    )
    assert [(c["name"], c.get("bounds_from"), c["histogram"]["bins"]) for c in release["columns"]] == [
        ("score", "registry", ["[0, 18)", "[18, 65)", "[65, 120]"]),
        ("dept", None, ["a", "b,c", "(other)"]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[columns.x]\nbounds = [1]",
        "[columns.x]\nbounds = ['a', 'b']",
        "[columns.x]\nlimits = [0, 1]",
        "x = 1",
        "[columns]\nx = 1",
        "[columns.x]\nestimate_bounds = false",
        "[columns.x]\ncategories = [1]",
        "[columns.x]\nentity = 1",
        "= broken",
        "[columns.x]\nbounds = [true, 2]",
    ],
)
def test_a_schema_that_says_something_else_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(text)
    with pytest.raises(UsageError, match=r"schema .*schema\.toml"):
        privately(
            piiscan.summarize,
            frame(),
            epsilon=1,
            one_row_per_person=True,
            schema=tmp_path / "schema.toml",
            dataset="d",
            ledger=tmp_path / "l",
        )


def test_the_budget_is_charged_reported_and_kept(piiscan: Run, data: Path) -> None:
    common = (PERSON, "--categories", "dept=a,b,c")
    first = piiscan("summarize", data, "--epsilon", "0.5", *common, "--budget", "1.2")
    assert "epsilon 0.7 (delta 0) is left. 1 more of this size would fit." in first.stderr
    again = piiscan("summarize", data, "--epsilon", "0.5", *common)
    assert again.stdout == first.stdout and "for free" in again.stderr
    refused = piiscan("summarize", data, "--epsilon", "0.8", *common)
    assert refused.returncode == 6 and not refused.stdout
    assert (
        "asks for epsilon 0.8, delta 0. The budget is epsilon 1.2, delta 0; spent is epsilon 0.5, delta 0"
        in refused.stderr
    )
    ledger = ("--ledger", data.parent / "piiscan-ledger.sqlite")
    raised = piiscan("budget", "raise", "data.csv", "--epsilon", "1.3", *ledger)
    assert raised.returncode == 0, raised.stderr
    assert piiscan("summarize", data, "--epsilon", "0.8", *common).returncode == 0
    shown = piiscan("budget", "show", *ledger)
    assert (
        "data.csv: basic accounting" in shown.stdout
        and "by 2 releases" in shown.stdout
        and "left    epsilon 0, delta 0" in shown.stdout
    )


def test_budgets_are_opened_and_other_releases_registered(piiscan: Run, tmp_path: Path) -> None:
    ledger = ("--ledger", tmp_path / "ledger")
    assert piiscan("budget", "show", *ledger).returncode == 2
    assert (
        piiscan(
            "budget", "open", "people", "--epsilon", "2", "--delta", "1e-6", "--accounting", "zcdp", *ledger
        ).returncode
        == 0
    )
    assert piiscan("budget", "open", "people", "--epsilon", "2", *ledger).returncode == 2
    for version in ("2025", "2026"):
        done = piiscan(
            "budget", "register", f"people@{version}", "--kind", "k-anonymous", "--columns", "age, zip", *ledger
        )
    assert "compare k-anonymous, version 2025 and k-anonymous, version 2026 before both are published" in done.stdout
    shown = piiscan("budget", "show", "people", *ledger)
    assert "people: zcdp accounting" in shown.stdout and "no epsilon covers it" in shown.stdout
    assert piiscan("budget", "show", "nobody", *ledger).returncode == 2


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json", "xlsx"])
def test_every_format_gives_the_same_exact_sums(tmp_path: Path, suffix: str) -> None:
    """With noise of a scale below a tenth, so that every count is exact but once in thousands of millions."""
    path = tmp_path / f"data.{suffix}"
    table = (
        frame() if suffix == "csv" else frame().with_columns(score=pl.col("score").cast(pl.Float64))
    )  # text is as it's written
    {"csv": table.write_csv, "parquet": table.write_parquet, "json": table.write_json, "xlsx": table.write_excel}[
        suffix
    ](path)
    release = privately(
        piiscan.summarize,
        path,
        epsilon=400,
        one_row_per_person=True,
        categories={"dept": ["a", "b"], "score": ["0", "7"]},
        table="Sheet1" if suffix == "xlsx" else None,
    ).to_dict()
    assert release["rows"]["value"] == ROWS
    assert [c["histogram"]["counts"] for c in release["columns"]] == [[600, 600, 1200], [25, 25, 2950]]


def test_frames_of_every_kind(tmp_path: Path) -> None:
    table = frame()
    kinds: list[Any] = [table, table.to_pandas(), table.to_arrow(), [table.head(1000), table.tail(-1000)], table.lazy()]
    for i, data in enumerate(kinds):
        done = privately(
            piiscan.summarize,
            data,
            epsilon=400,
            unit="desk",
            max_rows=1,
            categories={"dept": ["a"]},
            dataset=f"d{i}",
            ledger=tmp_path / "l",
        )
        assert done.to_dict()["rows"]["value"] == ROWS // 2
        assert not done.repeated


def test_frames_need_a_name_and_a_ledger(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"epsilon": 1, "one_row_per_person": True, "bounds": {"score": (0, 1)}}
    with pytest.raises(UsageError, match="ledger=PATH"):
        privately(piiscan.summarize, frame(), **asked, dataset="d")
    with pytest.raises(UsageError, match="dataset=NAME"):
        privately(piiscan.summarize, frame(), **asked, ledger=tmp_path / "l")
    with pytest.raises(UsageError, match="more than once"):
        privately(piiscan.summarize, iter([frame()]), **asked, dataset="d", ledger=tmp_path / "l")
    assert not (tmp_path / "l").exists()


def test_what_can_t_be_read_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "broken.parquet"
    frame().write_parquet(path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ReadError):
        privately(piiscan.summarize, path, epsilon=1, one_row_per_person=True, bounds={"score": (0, 1)})
    assert not (tmp_path / "piiscan-ledger.sqlite").exists()


def test_an_overspent_budget_is_an_error_of_its_own(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "one_row_per_person": True,
        "bounds": {"score": (0, 1)},
        "dataset": "d",
        "ledger": tmp_path / "l",
    }
    privately(piiscan.summarize, frame(), epsilon=1, **asked)
    with pytest.raises(BudgetError):
        privately(piiscan.summarize, frame(), epsilon=1.5, **asked)


def test_help_is_fast(tmp_path: Path) -> None:
    from test_startup import HEAVY, imported

    assert not imported("summarize", "--help", cwd=tmp_path) & (HEAVY | {"opendp", "sqlite3"})


@pytest.mark.parametrize("target", ["data.csv", "piiscan-ledger.sqlite", "schema.toml"])
def test_nothing_that_it_reads_or_keeps_is_written_over(piiscan: Run, data: Path, target: str) -> None:
    (data.parent / "schema.toml").write_text("[columns.score]\nbounds = [0, 120]\n")
    Ledger(data.parent / "piiscan-ledger.sqlite").open("data.csv", Budget(5.0, 0.0, "basic"))
    before = (data.parent / target).read_bytes()
    done = piiscan(
        "summarize", data, "--epsilon", "1", PERSON, "--schema", data.parent / "schema.toml", "-o", data.parent / target
    )
    assert done.returncode == 2 and "choose another output" in done.stderr and not done.stdout
    assert (data.parent / target).read_bytes() == before


def test_columns_without_a_name_go_by_their_places(piiscan: Run, tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("1,2\n" * 500)
    release = released(
        piiscan, tmp_path / "bare.csv", "--epsilon", "50", PERSON, "--no-header", "--bounds", "column_1=0:4"
    )
    assert [c["name"] for c in release["columns"]] == ["column_1"] and near(release["columns"][0]["mean"], 2)


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": 1e308},
        {"epsilon": 1e-300},
        {"budget": 0.0},
        {"budget": math.nan},
        {"budget": math.inf},
        {"budget": 1e9, "delta": 1e-6},
    ],
)
def test_figures_beyond_sense_are_refused_before_anything_is_read(options: dict[str, float], tmp_path: Path) -> None:
    asked = {
        "epsilon": 1.0,
        "dataset": "people",
        "one_row_per_person": True,
        "private_keys": ["x"],
        "delta": 1e-6,
        "ledger": tmp_path / "l",
    }
    with pytest.raises(UsageError, match="epsilon"):
        privately(piiscan.summarize, tmp_path / "unread.csv", **asked | options)
    assert not (tmp_path / "l").exists()


def test_whoever_declares_numbers_where_there_are_none_is_reported(piiscan: Run, tmp_path: Path) -> None:
    (tmp_path / "pay.csv").write_text("pay;age\n" + "1,234.5;30\n" * 300)
    done = piiscan(
        "summarize",
        tmp_path / "pay.csv",
        "--epsilon",
        "50",
        PERSON,
        "--bounds",
        "pay=0:9000",
        "--bounds",
        "age=0:99",
        "--statistics",
        "count",
    )
    assert done.returncode == 0 and "Few cells of pay are plain numbers" in done.stderr


def test_a_table_of_several_is_named(piiscan: Run, tmp_path: Path) -> None:
    """The one that has no name, beside the lists of a JSON file, isn't taken for the one that is meant."""
    (tmp_path / "data.json").write_text('{"at": "2025", "rows": [{"dept": "a"}, {"dept": "b"}]}')
    asked = ("summarize", tmp_path / "data.json", "--epsilon", "500", "--one-row-per-person")
    assert "several tables; name one with --table" in piiscan(*asked, "--categories", "dept=a,b").stderr
    assert piiscan(*asked, "--categories", "dept=a,b", "--table", "rows").returncode == 0
    assert (
        "has no table other" in piiscan(*asked, "--categories", "dept=a,b", "--table", "other", "--dataset", "x").stderr
    )
    assert "rows  1 ±" in piiscan(*asked, "--categories", "at=2025", "--table", "", "--dataset", "root").stdout
