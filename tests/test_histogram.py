"""The command `histogram`: a column of a file by its plan's name, small counts hidden."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import run_piiscan
from mask_people import piiscan

AGES = [str(20 + i % 37) for i in range(1000)] + ["x", "103", ""]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("histogram") / "people.csv"
    pl.DataFrame(
        {"name": ["Ann"] * len(AGES), "age": AGES, "jo@example.com": ["1,5", *["2,5"] * (len(AGES) - 1)]}
    ).write_csv(path)
    return path


def test_it_shows_intervals_and_hides_few(people: Path) -> None:
    said = piiscan("histogram", f"{people}::age", "--header", "--step", "10", "--low", "20", "--high", "60")
    assert [line.split() for line in said.splitlines()] == [
        ["[20,", "30)", "█" * 40, "271"],
        ["[30,", "40)", "█" * 40, "270"],
        ["[40,", "50)", "█" * 40, "270"],
        ["[50,", "60)", "█" * 28, "189"],
        ["≥", "60", "▏", "<", "5"],
        ["no", "number", "<", "5"],
    ]
    assert "103" not in said


def test_columns_are_called_as_in_a_plan(people: Path) -> None:
    assert "1002" in piiscan("histogram", f"{people}::column_2", "--header", "--point", ",")


@pytest.mark.parametrize(
    ("column", "status", "message"),
    [
        ("agee", 2, "no column agee; did you mean age"),
        ("name", 2, "needs a column with numbers"),
        ("jo@example.com", 2, "no column"),
    ],
)
def test_what_can_not_be_shown(people: Path, column: str, status: int, message: str) -> None:
    done = run_piiscan("histogram", f"{people}::{column}", "--header")
    assert done.returncode == status and message in done.stderr.replace("'", "") and not done.stdout


def test_no_file_and_no_table(tmp_path: Path) -> None:
    assert "FILE::COLUMN" in piiscan("histogram", f"{tmp_path}/nobody.csv::age", status=2)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    piiscan("histogram", f"{tmp_path}/broken.parquet::age", status=3)


def test_tables_of_one_file_are_reported_apart(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "two.db") as db:
        for table, n in (("a", 10), ("b", 20)):
            db.execute(f"create table {table} (age integer)")
            db.executemany(f"insert into {table} values (?)", [(7,)] * (n - 5) + [(9,)] * 5)
    assert "FILE::TABLE::COLUMN" in piiscan("histogram", f"{tmp_path}/two.db::age", status=2)
    assert piiscan("histogram", f"{tmp_path}/two.db::b::age").split()[-1] == "5"


@pytest.mark.parametrize("cells", [["52000.37"] * 50, [52000] * 3, ["7"]])
@pytest.mark.parametrize("options", [[], ["--step", "1"], ["--low", "0", "--high", "100000"]])
def test_a_constant_is_not_printed(tmp_path: Path, cells: list[object], options: list[str]) -> None:
    (tmp_path / "pay.csv").write_text("pay,n\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)))
    done = run_piiscan("histogram", f"{tmp_path}/pay.csv::pay", "--header", *options)
    assert done.returncode == 2 and "all numbers of the column are equal" in done.stderr and not done.stdout
    assert "5200" not in done.stderr


def test_one_value_that_most_cells_have_gets_no_interval_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "pay.csv").write_text("pay\n" + "52000\n" * 999 + "90000\n")
    said = piiscan("histogram", f"{tmp_path}/pay.csv::pay", "--header")
    assert "999" in said and "52000, 52001" not in said
