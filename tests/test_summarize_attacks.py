"""Attacks on summaries that must fail: outliers, shapes that depend on data, repeated questions, crashes, other
names, values in what comes out."""

from __future__ import annotations

import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any, get_args

import pandas
import polars as pl
import pytest
from conftest import ROOT, Run
from dp_tables import COLUMNS, privately, request
from scipy import stats

import piiscan
from piiscan.core.errors import BudgetError, UsageError
from piiscan.dp import answers, noise
from piiscan.dp.domains import Categories, Number, numbers, words
from piiscan.dp.ledger import Ledger
from piiscan.dp.queries import Axis, Measure, Value, costs, each, queries
from piiscan.dp.request import Request
from piiscan.dp.run import passes
from piiscan.dp.tally import Tally
from piiscan.io.table_source import Source

pytestmark = pytest.mark.slow

ASKED: dict[str, Any] = {
    "epsilon": 1.0,
    "one_row_per_person": True,
    "bounds": {"score": (0, 120)},
    "categories": {"dept": ["a", "b"]},
    "by": [["dept"]],
    "dataset": "people",
}


def table(score: list[Any], dept: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"score": score, "dept": dept})


@pytest.mark.parametrize(("outlier", "bound"), [("1e300", "120"), ("inf", "120"), ("-1e9", "0"), ("121", "120")])
def test_an_outlier_beyond_the_bounds_changes_nothing(outlier: str, bound: str) -> None:
    """The exact sums are those with the bound in its place, so the release has the very same distribution."""
    asked = request()
    measures = list(dict.fromkeys(q.measure for q in queries(asked)))
    made = [
        Tally.of(pl.DataFrame({"score": ["5", cell], "dept": ["a", "b"], "city": ["X", "Y"]}), measures, dict(COLUMNS))
        for cell in (outlier, bound)
    ]
    assert made[0] == made[1]


def written(kind: str, cells: list[Any], folder: Path) -> Any:
    """A table of the columns x and w, both of these cells, in a format that takes types from the cells."""
    if kind == "pandas":
        return pandas.DataFrame({"x": cells, "w": cells}, dtype=object)
    if kind == "mappings":
        return [{"x": cell, "w": cell} for cell in cells]
    (folder / "table.jsonl").write_text("\n".join(json.dumps({"x": cell, "w": cell}, default=str) for cell in cells))
    return folder / "table.jsonl"


@pytest.mark.parametrize("kind", ["jsonl", "pandas", "mappings"])
@pytest.mark.parametrize("common", [5.0, 1e-7, True, "5", date(2020, 1, 1), datetime(2020, 1, 1, 3, 4), [5], math.nan])
def test_one_row_never_changes_what_others_count_as(kind: str, common: Any, tmp_path: Path) -> None:
    """A text, a list or a fraction in one row makes another type of the whole column. No measure moves by more than
    one row may move it."""
    words = ("5", "1.5", "1e-07", "1e+20", "true", "2020-01-01", "2020-01-01 03:04:00")
    domains: dict[str, Any] = {"x": Number(-10, 10), "w": Categories(words)}
    axes = [(), (Axis("x"),), (Axis("w"),), (Axis("x"), Axis("w"))]
    measures = [Measure(a) for a in axes] + [Measure((), "x", value) for value in get_args(Value)]

    def counted(cells: list[Any]) -> Tally:
        return passes.tally(Source(written(kind, cells, tmp_path)).batches(["x", "w"]), measures, domains, None, None)

    before = counted([common] * 9)
    for odd in [
        7,
        2.5,
        True,
        "a",
        "",
        None,
        math.inf,
        1e308,
        "1e5",
        " 7 ",
        "٣",
        [1, 2],
        {"k": 1},
        1 << 62,
        date(2021, 2, 3),
    ]:
        after = counted([common] * 9 + [odd])
        for measure in measures:
            assert abs(after.counts[measure] - before.counts[measure]).sum() <= each(measure, domains), (odd, measure)


@pytest.mark.parametrize("words", [("5", "5.0"), ("0", "-0.0"), ("nan",)])
def test_words_that_would_count_as_one_are_no_categories(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=r"are the same one|counts as missing"):
        Categories(words)


def of_json(cells: list[Any], folder: Path) -> Any:
    path = folder / "cells.jsonl"
    path.write_text("\n".join(json.dumps({"v": cell, "other": 1}) for cell in cells), encoding="utf-8")
    return path


def of_pandas(cells: list[Any], folder: Path) -> Any:
    return pandas.DataFrame({"v": cells})


def of_sqlite(cells: list[Any], folder: Path) -> Any:
    with closing(sqlite3.connect(folder / f"{len(cells)}.db")) as db:
        db.execute("CREATE TABLE t (v, other)")
        db.executemany("INSERT INTO t VALUES (?, 1)", [(json.dumps(c) if isinstance(c, list) else c,) for c in cells])
        db.commit()
    return folder / f"{len(cells)}.db"


@pytest.mark.parametrize("made", [of_json, of_pandas, of_sqlite])
@pytest.mark.parametrize(
    "cells",
    [
        [True, False],
        [1, 2],
        [1.0, 2.5],
        [-0.0, 3.0],
        [1e15, 1e20],
        [1.5, 0.1],
        [1e-5, 2e-7],
        [1e16, 5e-324],
        [10**15 + 1, 3],
        ["1.0", "1.50"],
        ["true", "007"],
    ],
    ids=str,
)
@pytest.mark.parametrize("one", ["x", 7, 0.5, True, [5], None], ids=str)
def test_no_row_changes_what_the_others_are(made: Any, cells: list[Any], one: Any, tmp_path: Path) -> None:
    """A reader may take a column for text, or for lists, because of a single row: the cells of all others count as
    before."""

    def counted(data: Any) -> tuple[list[Any], list[Any]]:
        column = pl.concat(list(Source(data).batches(["v"])))["v"]
        return words(column).to_list()[: len(cells)], numbers(column).to_list()[: len(cells)]

    assert counted(made([*cells, one], tmp_path)) == counted(made(cells, tmp_path))


def test_categories_are_found_however_they_are_written(tmp_path: Path) -> None:
    for i, data in enumerate(
        (
            pl.DataFrame({"v": [1.0] * 9}),
            pl.DataFrame({"v": ["1.0"] * 9}),
            pl.DataFrame({"v": [1] * 9}),
            pl.DataFrame({"v": [[1]] * 9}),
        )
    ):
        for category in ("1", "1.0"):
            done = privately(
                piiscan.summarize,
                data,
                epsilon=100,
                one_row_per_person=True,
                categories={"v": [category]},
                dataset="d",
                version=f"{i}",
                budget=1e6,
                ledger=tmp_path / "l",
            )
            (column,) = done.to_dict()["columns"]
            assert column["histogram"]["bins"][0] == category and abs(column["histogram"]["counts"][0] - 9) <= 1
    with pytest.raises(UsageError, match=r"1 and 1\.0 are the same"):
        privately(
            piiscan.summarize,
            data,
            epsilon=1,
            one_row_per_person=True,
            categories={"v": ["1", "1.0"]},
            dataset="d",
            ledger=tmp_path / "m",
        )


def skeleton(release: Any) -> Any:
    """A release without its figures."""
    if isinstance(release, dict):
        return {key: skeleton(value) for key, value in release.items() if key not in ("value", "accuracy")}
    if isinstance(release, list):
        return [skeleton(item) for item in release]
    return release if isinstance(release, str) else None


def test_nothing_but_noisy_figures_depends_on_the_data(tmp_path: Path) -> None:
    """An empty table, one of other words and numbers, other types: the same bins, keys, bounds, scales and texts."""
    tables = [
        table([1, 2, 3], ["a", "b", "c"]),
        table([], []).cast(pl.String),
        table([10**18, -5, 0], ["x", "y", "z"]),
        table([None, 0.5, math.nan], [None, "", "a"]),
        table(["secret", "7", None], [1, 2, 3]),
        table([True, False, True], [[1], [2], None]),
    ]
    found = []
    for i, data in enumerate(tables):
        done = privately(piiscan.summarize, data, **ASKED, ledger=tmp_path / str(i)).to_dict()
        queries_reported = done.pop("queries")
        assert all(q["scale"] > 0.5 for q in queries_reported)
        found.append((skeleton(done), queries_reported))
    assert all(f == found[0] for f in found)


def test_no_cell_stands_in_anything_that_comes_out(piiscan: Run, tmp_path: Path) -> None:
    secrets = [f"canary{i:04d}" for i in range(200)]
    path = tmp_path / "people.csv"
    pl.DataFrame(
        {"person": secrets, "score": secrets, "dept": secrets, "city": ["X"] * 199 + ["canarytown"]}
    ).write_csv(path)
    done = piiscan(
        "summarize",
        path,
        "--epsilon",
        "20",
        "--delta",
        "1e-6",
        "--unit",
        "person",
        "--estimate-bounds",
        "score",
        "--categories",
        "dept=a,b",
        "--private-keys",
        "city",
        "--by",
        "city",
        "-o",
        tmp_path / "summary.json",
    )
    assert done.returncode == 0, done.stderr
    everything = (
        done.stdout
        + done.stderr
        + (tmp_path / "summary.json").read_text()
        + (tmp_path / "piiscan-ledger.sqlite").read_bytes().decode("latin-1")
    )
    assert "canary" not in everything
    assert sorted(p.name for p in tmp_path.iterdir()) == ["people.csv", "piiscan-ledger.sqlite", "summary.json"]


def test_asking_again_gives_no_second_draw(tmp_path: Path) -> None:
    """Averages of many answers would wear the noise off: the same question has one answer, on changed data too,
    until a new version is declared and paid for."""
    ledger = tmp_path / "ledger"
    texts = {
        privately(piiscan.summarize, table([1] * n, ["a"] * n), **ASKED, budget=2, ledger=ledger).text
        for n in (10, 10, 1000)
    }
    assert len(texts) == 1
    again = privately(piiscan.summarize, table([1], ["a"]), **ASKED, version="2", ledger=ledger)
    assert not again.repeated
    with pytest.raises(BudgetError):
        privately(piiscan.summarize, table([1], ["a"]), **ASKED, version="3", ledger=ledger)


def test_equal_questions_are_reported_by_what_they_ask(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    changes: list[dict[str, Any]] = [
        {},
        {"bounds": {"score": (0, 121)}},
        {"categories": {"dept": ["b", "a"]}},
        {"epsilon": 1.5},
        {"statistics": ["mean"]},
        {"quantiles": [0.5]},
        {"by": []},
        {"cross": [["dept", "score"]]},
        {"edges": {"score": [5]}},
    ]
    for change in changes:
        done = privately(piiscan.summarize, table([1], ["a"]), **ASKED | change, budget=100, ledger=ledger.path)
        assert not done.repeated
        assert privately(piiscan.summarize, table([1], ["a"]), **ASKED | change, ledger=ledger.path).repeated
    assert len(ledger.account("people").charges) == len(changes)


def test_tables_of_one_file_share_its_budget_and_not_their_answers(tmp_path: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(tmp_path / "book.xlsx") as book:
        for name, rows in (("one", 5), ("two", 900)):
            table([1] * rows, ["a"] * rows).write_excel(book, worksheet=name)
    asked: dict[str, Any] = {"epsilon": 400, "one_row_per_person": True, "categories": {"dept": ["a"]}, "budget": 800}
    counts = [
        privately(piiscan.summarize, tmp_path / "book.xlsx", table=name, **asked).to_dict()["rows"]["value"]
        for name in ("one", "two")
    ]
    assert counts == [5, 900]
    with pytest.raises(BudgetError):
        privately(piiscan.summarize, tmp_path / "book.xlsx", table="two", **asked | {"epsilon": 1})


def test_the_difference_of_two_releases_keeps_the_noise_of_both(tmp_path: Path) -> None:
    """One person left between two versions. What their counts differ by is noise of both, and both were paid for."""
    done = [
        privately(
            piiscan.summarize, table([1] * n, ["a"] * n), **ASKED, version=str(n), budget=2, ledger=tmp_path / "ledger"
        )
        for n in (100, 99)
    ]
    scales = [{q["query"]: q["scale"] for q in d.to_dict()["queries"]} for d in done]
    assert scales[0] == scales[1] and scales[0]["count"] > 5  # against a difference of 1
    assert Ledger(tmp_path / "ledger").account("people").remaining[0] == 0


def test_a_file_s_other_name_is_the_same_dataset_where_it_is_declared(piiscan: Run, tmp_path: Path) -> None:
    asked = ("--one-row-per-person", "--categories", "dept=a", "--dataset", "people", "--ledger", tmp_path / "ledger")
    for name, epsilon, status in (("a.csv", "1", 0), ("b.csv", "0.5", 6)):
        table([1], ["a"]).write_csv(tmp_path / name)
        assert piiscan("summarize", tmp_path / name, "--epsilon", epsilon, *asked).returncode == status


KILLED = """
import os, signal, sys
import polars as pl, piiscan
from piiscan.dp import noise
noise.added = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
privacy = piiscan.Privacy(epsilon=1, one_row_per_person=True, dataset="people", ledger=sys.argv[1])
piiscan.summarize(pl.DataFrame({"dept": ["a"]}), privacy, categories={"dept": ["a"]})
"""


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
def test_killed_before_its_noise_a_summary_has_cost_what_it_costs(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", KILLED, str(ledger)], env=env, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    (charge,) = Ledger(ledger).account("people").charges
    assert charge.loss.epsilon == 1 and charge.release is None
    with pytest.raises(BudgetError):
        privately(piiscan.summarize, table([1], ["a"]), **ASKED, ledger=ledger)


def test_noise_is_drawn_after_the_charge_and_never_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    charge, added = Ledger.charge, noise.added
    monkeypatch.setattr(Ledger, "charge", lambda *a, **k: (order.append("charge"), charge(*a, **k))[1])
    monkeypatch.setattr(noise, "added", lambda *a, **k: (order.append("noise"), added(*a, **k))[1])
    privately(piiscan.summarize, table([1], ["a"]), **ASKED, ledger=tmp_path / "ledger")
    assert order[0] == "charge" and set(order[1:]) == {"noise"}
    order.clear()
    with pytest.raises(BudgetError):
        privately(piiscan.summarize, table([1], ["a"]), **ASKED | {"epsilon": 2}, ledger=tmp_path / "ledger")
    assert "noise" not in order


def test_the_whole_release_reveals_neighbours_apart_no_better_than_epsilon() -> None:
    """Many releases of two neighbours, judged by the most telling event there is: the sum of what all noisy figures
    say. One more row at the far end of the bounds. The rates differ by e^ε at most; with half the noise they'd differ
    by e^2ε, and this test would see it."""
    noise.require()
    epsilon, n = 1.0, 1500
    asked = Request("d", "", (("score", Number(0, 1)),), epsilon, statistics=("mean",))
    price, table_of = costs(asked), {"score": Number(0, 1)}
    measures = [q.measure for q in queries(asked)]

    def rate(values: list[float]) -> int:
        tally = Tally.of(pl.DataFrame({"score": values}), measures, table_of)
        hits = 0
        for _ in range(n):
            given = answers.draw_answers(tally, queries(asked), table_of, asked, price)
            said = [
                max(-a.sensitivity, min(a.sensitivity, 2 * (a.values[0] - middle) - a.sensitivity)) / a.sensitivity
                for a, middle in zip(given, exact, strict=True)
            ]
            hits += sum(said) >= 3 - 1e-9
        return hits

    before = [0.5] * 5
    exact = [int(Tally.of(pl.DataFrame({"score": before}), measures, table_of).counts[m][0]) for m in measures]
    low = stats.binomtest(rate([*before, 1.0]), n).proportion_ci(1 - 1e-10, "exact").low
    high = stats.binomtest(rate(before), n).proportion_ci(1 - 1e-10, "exact").high
    assert low <= math.exp(epsilon) * high
