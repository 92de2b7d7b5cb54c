"""`piiscan synthesize` as people type it, and `piiscan.synthesize` for frames.

Where a test looks at figures, ε is so large that a count is off by more than a few rows less than once in 10⁹ runs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Run
from dp_tables import privately

import piiscan
from piiscan import synthesize
from piiscan.core.errors import BudgetError, ReadError, UsageError

ROWS = 3000
PERSON = "--one-row-per-person"
SCHEMA = """
[columns.age]
bounds = [0, 100]
edges = [18, 65]

[columns.income]
bounds = [0, 100000]
power = 0.5
decimals = 2

[columns.dept]
categories = ["a", "b", "c"]

[columns.level]
categories = ["low", "high"]
"""


def frame() -> pl.DataFrame:
    """`level` follows `age`; `dept` has nothing to do with them."""
    ages = [(i * 37) % 100 for i in range(ROWS)]
    return pl.DataFrame(
        {
            "person": [f"p{i // 2}" for i in range(ROWS)],
            "level": ["high" if age >= 65 else "low" for age in ages],
            "age": [None if i % 10 == 0 else age for i, age in enumerate(ages)],
            "dept": [["a", "b", "elsewhere", ""][(i // 7) % 4] for i in range(ROWS)],
            "income": [(i * 7919) % 100_000 / 1 for i in range(ROWS)],
            "note": ["secret"] * ROWS,
        }
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    frame().write_csv(tmp_path / "data.csv")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path / "data.csv"


def ask(**changed: Any) -> Any:
    asked: dict[str, Any] = {
        "epsilon": 100,
        "one_row_per_person": True,
        "categories": {"dept": ["a", "b", "c"], "level": ["low", "high"]},
        "bounds": {"age": (0, 100)},
        "edges": {"age": [18, 65]},
        "dataset": "people",
    }
    return privately(piiscan.synthesize, frame(), **asked | changed)


def test_a_file_of_rows(piiscan: Run, data: Path) -> None:
    target = data.parent / "synthetic.csv"
    done = piiscan(
        "synthesize",
        data,
        "--epsilon",
        "100",
        "--delta",
        "1e-9",
        "-n",
        "5000",
        PERSON,
        "--schema",
        data.parent / "schema.toml",
        "-o",
        target,
    )
    assert done.returncode == 0, done.stderr
    made = pl.read_csv(target)
    assert made.height == 5000
    assert made.columns == ["level", "age", "dept", "income"]  # as in the file
    assert "Left out, since they aren't declared: person, note." in done.stderr
    assert (
        "epsilon 100, delta 1e-09 in all, laplace noise" in done.stdout
        and "each row belongs to another person" in done.stdout
    )
    assert "age, level" in done.stdout.replace("level, age", "age, level")
    assert made["age"].dtype == pl.Int64 and made["age"].drop_nulls().is_between(0, 100).all()
    assert (
        made["income"].is_between(0, 100_000).all()
        and (made["income"] * 100 - (made["income"] * 100).round()).abs().max() < 1e-6
    )
    assert set(made["dept"].drop_nulls()) <= {"a", "b", "c", "(other)"} and set(made["level"].drop_nulls()) == {
        "low",
        "high",
    }
    assert "secret" not in target.read_text() and "elsewhere" not in target.read_text()


def test_what_is_alike_and_what_isn_t(tmp_path: Path) -> None:
    made = ask(n=4000, ledger=tmp_path / "ledger").frame
    share = {word: n / 4000 for word, n in made["dept"].value_counts().iter_rows()}
    assert share == pytest.approx({"a": 0.25, "b": 0.25, "(other)": 0.25, None: 0.25}, abs=0.03)
    assert made["age"].null_count() / 4000 == pytest.approx(0.1, abs=0.03)
    old = made.filter(pl.col("age") >= 65)
    assert (old["level"] == "high").mean() > 0.97  # it follows age, as it did
    young = made.filter(pl.col("age") < 65)
    assert (young["level"] == "low").mean() > 0.97
    for word in ("a", "b", "(other)"):  # and has nothing to do with the department, as it had
        assert (made.filter(pl.col("dept") == word)["level"] == "high").mean() == pytest.approx(0.35, abs=0.06)
    low = made.filter(pl.col("age") < 18)["age"]
    assert low.mean() == pytest.approx(8.5, abs=1.5)  # anywhere in its bin


def test_columns_without_pairs(tmp_path: Path) -> None:
    made = ask(columns=["level"], n=1000, ledger=tmp_path / "ledger").frame
    assert made.columns == ["level"] and (made["level"] == "high").mean() == pytest.approx(0.35, abs=0.03)


def test_the_same_query_is_free_and_gives_the_same_rows(piiscan: Run, data: Path) -> None:
    def made(name: str, *options: str) -> Any:
        asked = ("--epsilon", "1", PERSON, "--schema", data.parent / "schema.toml", "-o", data.parent / name, *options)
        return piiscan("synthesize", data, *asked)

    first = made("1.csv", "--budget", "1.5", "-n", "500")
    assert first.returncode == 0, first.stderr
    assert "epsilon 0.5 (delta 0) is left. 0 more of this size would fit." in first.stderr
    frame().head(5).write_csv(data)  # the data change, the release doesn't
    again = made("2.csv", "-n", "500")
    assert "for free" in again.stderr and again.stdout == first.stdout
    assert (data.parent / "1.csv").read_bytes() == (data.parent / "2.csv").read_bytes()
    more = made("3.csv", "-n", "700")
    assert "for free" in more.stderr and "Wrote 700 rows" in more.stderr
    assert made("4.csv", "--columns", "age,dept").returncode == 6
    assert not (data.parent / "4.csv").exists()
    shown = piiscan("budget", "show", "--ledger", data.parent / "piiscan-ledger.sqlite")
    assert "by 1 release" in shown.stdout


def test_how_many_rows_there_are_is_reported_with_noise(tmp_path: Path) -> None:
    done = [ask(ledger=tmp_path / str(i), epsilon=epsilon) for i, epsilon in enumerate((100, 0.5, 0.5, 0.5, 0.5, 0.5))]
    rows = [d.to_dict()["rows"] for d in done]
    assert done[0].frame.height == rows[0]["value"] == pytest.approx(ROWS, abs=20)
    assert len({t["value"] for t in rows}) > 1
    assert all(
        abs(t["value"] - ROWS) <= 6 * t["accuracy"] for t in rows
    )  # a normal number is nearly never twelve deviations off


def test_a_unit_counts_as_often_as_it_may(tmp_path: Path) -> None:
    """One person has half of all rows, and every other one a row: with one row a person, hers is one of many."""
    data = pl.DataFrame(
        {"person": ["her"] * 2000 + [f"p{i}" for i in range(2000)], "word": ["b"] * 2000 + ["a"] * 2000}
    )
    asked: dict[str, Any] = {
        "epsilon": 50,
        "categories": {"word": ["a", "b"]},
        "dataset": "d",
        "unit": "person",
        "n": 2000,
        "budget": 1000,
    }
    one = privately(piiscan.synthesize, data, **asked, ledger=tmp_path / "ledger")
    assert (one.frame["word"] == "b").sum() < 20
    assert "all rows of one value of person" in one.to_dict()["privacy"]["neighbours"]
    many = privately(piiscan.synthesize, data, **asked | {"epsilon": 500}, max_rows=1000, ledger=tmp_path / "ledger")
    assert (many.frame["word"] == "b").mean() == pytest.approx(1 / 3, abs=0.05)
    assert [t["scale"] for t in many.to_dict()["tables"]] == [2.0] and many.to_dict()["tables"][0][
        "sensitivity"
    ] == 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bounds", "age=0:100"], "--unit COLUMN"),
        ([PERSON], "--categories dept=a,b,c"),
        ([PERSON, "--columns", "dept"], "--categories dept=A,B,C"),
        ([PERSON, "--bounds", "age=5:1"], "column age: the lower bound"),
        ([PERSON, "--bounds", "nothing=0:1"], "column nothing: there is none"),
        ([PERSON, "--max-rows", "2", "--bounds", "age=0:1"], "max-rows needs --unit"),
        ([PERSON, "--bounds", "age=0:1", "-n", "0"], "x>=1"),
        ([PERSON, "--bounds", "age=0:1", "--delta", "0.5"], "delta"),
        ([PERSON, "--bounds", "age=0:1", "-o", "rows.xls"], ".csv, .tsv, .parquet"),
        ([PERSON, "--bounds", "age=0:1", "-o", "data.csv", "--overwrite"], "choose another output"),
    ],
)
def test_what_isn_t_said_is_asked_for(piiscan: Run, data: Path, options: list[str], message: str) -> None:
    done = piiscan("synthesize", data, "--epsilon", "1", "-o", "out.csv", *options, cwd=data.parent)
    assert done.returncode == 2 and message in done.stderr, done.stderr
    assert sorted(p.name for p in data.parent.iterdir()) == ["data.csv", "schema.toml"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[columns.age]\nestimate_bounds = true", r'bounds=\{"age": \(LOW, HIGH\)\}'),
        ("[columns.dept]\nprivate_keys = true", r'categories=\{"dept": \["A", "B"\]\}'),
        (
            "[columns.age]\nbounds = [0, 100]\nedges = [99.6, 99.9]\ndecimals = 0",
            "column age: there is no number with 0 decimals from 99.6 to 99.9",
        ),
        ("[columns.dept]\ncategories = ['a']\ndecimals = 1", "column dept: decimals need a numeric column"),
        ("[columns.age]\nbounds = [-1, 100]\npower = 0.5", "for bounds of 0 or more"),
        ("[columns.age]\nbounds = [0, 100]\npower = 0", "for bounds above 0"),
        ("[columns.age]\nbounds = [1, 100]\npower = 2", "from 0 to 1"),
        ("[columns.age]\nbounds = [1, 100]\npower = 0.5\nedges = [5]", "without edges"),
        ("[columns.age]\npower = 0.5", "with bounds and without edges"),
        ("[columns.age]\nbounds = [1, 100]\ndecimals = true", "from 0 to 9"),
        ("[columns.age]\nbounds = [1, 100]\nprivate_bins = 3", "private_bins must be true"),
        ("[columns.age]\nbounds = [1, 100]\nedges = [5]\nprivate_bins = true", "leave edges and power out"),
        ("[columns.age]\nbounds = [0.5, 9]\ndecimals = 0\nprivate_bins = true", "bounds may have 0 decimals"),
        ("[columns.age]\nbounds = [0, 1]\ndecimals = 0\nprivate_bins = true", "too few numbers"),
        ("[columns.age]\nprivate_bins = true\n[columns.x]\nbounds = [0, 1]", r'bounds=\{"age": \(LOW, HIGH\)\}'),
        ("[columns.dept]\ncategories = ['a']\nprivate_bins = true", "column dept: private bins need a numeric column"),
    ],
)
def test_a_schema_that_says_too_little_or_too_much_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        ask(schema=tmp_path / "schema.toml", categories={}, bounds={}, edges={}, delta=1e-6, ledger=tmp_path / "ledger")
    assert not (tmp_path / "ledger").exists()


@pytest.mark.parametrize(("power", "edges"), [(0.5, [0, 250, 1000]), (1, [0, 5000, 10_000])])
def test_bins_are_even_on_a_public_scale(power: float, edges: list[float], tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(f"[columns.income]\nbounds = [0, 100000]\npower = {power}\n")
    done = ask(schema=tmp_path / "schema.toml", categories={}, bounds={}, edges={}, ledger=tmp_path / "ledger")
    (column,) = done.to_dict()["columns"]
    assert column["edges"][:3] == edges and len(column["edges"]) == 21


def test_a_number_that_many_rows_have_is_drawn_exactly(piiscan: Run, data: Path) -> None:
    """Zeros and the highest number among others, missing ones beside them; and whole numbers stay whole."""
    gains = [0 if i % 10 < 6 else 100_000 if i % 10 == 6 else 7298 if i % 10 == 7 else i * 31 for i in range(ROWS)]
    rows = frame().with_columns(pl.Series("gain", [None if i % 5 == 4 else g for i, g in enumerate(gains)]))
    rows.write_csv(data)
    known = ("--bounds", "gain=0:100000", "--categories", "level=low,high", "--private-bins", "gain")
    asked = ("--epsilon", "100", PERSON, *known, "-n", "3000", "-o", data.parent / "rows.csv", "--overwrite")
    done = piiscan("synthesize", data, *asked)
    assert done.returncode == 0, done.stderr
    made = pl.read_csv(data.parent / "rows.csv")["gain"]
    assert made.dtype == pl.Int64 and made.drop_nulls().is_between(0, 100_000).all()
    for number in (0, 7298, 100_000):
        assert int((made == number).sum()) == pytest.approx(int((rows["gain"] == number).sum()), abs=60)
    assert made.null_count() == pytest.approx(600, abs=60)
    assert "bins of gain found in 3 steps, at most" in done.stdout
    again = piiscan("synthesize", data, *asked)
    assert "for free" in again.stderr and pl.read_csv(data.parent / "rows.csv")["gain"].equals(made)


def test_private_bins_are_of_the_rows_that_count(tmp_path: Path) -> None:
    """Two of each unit's rows: of these, units and not rows decide how large a spike is."""
    rows = pl.DataFrame({"person": [f"p{i // 6}" for i in range(6000)], "x": [37] * 6000, "y": ["a"] * 6000})
    ledger = tmp_path / "l"
    asked: dict[str, Any] = {"epsilon": 200, "unit": "person", "max_rows": 2, "dataset": "d", "ledger": ledger}
    done = privately(
        piiscan.synthesize, rows, **asked, bounds={"x": (0, 50)}, private_bins=["x"], categories={"y": ["a"]}
    )
    column = next(c for c in done.to_dict()["columns"] if c["name"] == "x")
    assert {37, 38} <= set(column["edges"]) and len(column["edges"]) <= 41 and column["decimals"] == 0
    assert column["found"]["widths"] == [1.0] and column["found"]["sensitivity"] == 2
    assert done.to_dict()["rows"]["value"] == pytest.approx(2000, abs=60)
    assert (done.frame["x"] == 37).mean() > 0.95


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "jsonl", "json"])
def test_every_format_holds_the_same_rows(piiscan: Run, data: Path, suffix: str) -> None:
    target = data.parent / f"rows.{suffix}"
    asked = (
        "--epsilon",
        "1",
        PERSON,
        "--bounds",
        "age=0:100",
        "--categories",
        "dept=a,b",
        "-n",
        "50",
        "--ledger",
        data.parent / "ledger",
    )
    done = piiscan("synthesize", data, *asked, "-o", target)
    assert done.returncode == 0, done.stderr
    found: Any = {
        "csv": pl.read_csv,
        "tsv": lambda p: pl.read_csv(p, separator="\t"),
        "parquet": pl.read_parquet,
        "arrow": pl.read_ipc,
        "jsonl": pl.read_ndjson,
        "json": pl.read_json,
    }[suffix](target)
    same: Any = {
        "one_row_per_person": True,
        "bounds": {"age": (0, 100)},
        "categories": {"dept": ["a", "b"]},
        "ledger": data.parent / "ledger",
    }
    made = privately(synthesize, data, epsilon=1, n=50, **same)
    assert made.repeated and found.equals(made.frame)


def test_nothing_is_overwritten_by_accident(piiscan: Run, data: Path) -> None:
    target = data.parent / "rows.csv"
    target.write_text("mine")
    asked = ("--epsilon", "1", PERSON, "--bounds", "age=0:100", "-o", target)
    done = piiscan("synthesize", data, *asked)
    assert done.returncode == 2 and "--overwrite" in done.stderr
    assert target.read_text() == "mine" and not (data.parent / "piiscan-ledger.sqlite").exists()
    assert piiscan("synthesize", data, *asked, "--overwrite").returncode == 0
    assert target.read_text().startswith("age\n")


def test_an_evaluation_is_written_beside_the_rows(piiscan: Run, data: Path) -> None:
    asked = ("--epsilon", "100", PERSON, "--schema", data.parent / "schema.toml", "-o", data.parent / "rows.csv")
    done = piiscan("synthesize", data, *asked, "--evaluate", data.parent / "evaluation.json")
    assert done.returncode == 0, done.stderr
    assert "no epsilon covers them" in done.stderr
    rows = json.loads((data.parent / "evaluation.json").read_text())
    assert rows["stamp"] == "not differentially private: do not release"
    assert rows["rows"]["real"] == ROWS
    ledger = (data.parent / "piiscan-ledger.sqlite").read_bytes()
    assert b"do not release" not in ledger


def test_frames_come_back_as_they_came(tmp_path: Path) -> None:
    table = frame()
    asked: dict[str, Any] = {
        "epsilon": 50,
        "one_row_per_person": True,
        "categories": {"level": ["low", "high"]},
        "ledger": tmp_path / "l",
        "n": 10,
    }
    for i, data in enumerate(
        [table, table.to_pandas(), table.to_arrow(), [table.head(1000), table.tail(-1000)], table.lazy()]
    ):
        done = privately(piiscan.synthesize, data, **asked, dataset=f"d{i}")
        kind = pl.DataFrame if isinstance(data, list | pl.LazyFrame) else type(data)
        assert isinstance(done.frame, kind) and len(done.frame) == 10
        assert done.to_dict()["rows"]["value"] == pytest.approx(ROWS, abs=20)


def test_what_can_t_be_read_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "broken.parquet"
    frame().write_parquet(path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ReadError):
        privately(piiscan.synthesize, path, epsilon=1, one_row_per_person=True, bounds={"age": (0, 1)})
    assert not (tmp_path / "piiscan-ledger.sqlite").exists()
    with pytest.raises(UsageError, match="at least 1"):
        ask(n=0, ledger=tmp_path / "l")


def test_summaries_and_rows_share_a_budget(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "one_row_per_person": True,
        "bounds": {"age": (0, 100)},
        "dataset": "people",
        "ledger": tmp_path / "l",
    }
    rows = frame().drop("person")
    privately(piiscan.summarize, rows, epsilon=1, budget=1.5, **asked)
    with pytest.raises(BudgetError):
        privately(piiscan.synthesize, rows, epsilon=1, **asked)
    assert not privately(piiscan.synthesize, rows, epsilon=0.5, **asked).repeated


def test_help_is_fast(tmp_path: Path) -> None:
    from test_startup import HEAVY, imported

    assert not imported("synthesize", "--help", cwd=tmp_path) & (HEAVY | {"opendp", "sqlite3", "sklearn"})
