"""One table's failure stops no other: its file has no output and is listed, and the status says so."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path

import polars as pl
import pytest
from mask_people import cells, customers, key_file, piiscan, planned

from piiscan.io.write import json_writer


def shop(root: Path) -> Path:
    """A folder of one good table; the second file is the test's."""
    data = root / "shop"
    data.mkdir()
    customers(200).write_csv(data / "customers.csv")
    return data


def masked(root: Path, plan: Path, status: int = 3) -> str:
    """What is said; the good table is always there, and nothing else."""
    report = root / "report.json"
    said = piiscan(
        *("mask", root / "shop", "--plan", plan, "-o", root / "out", "--key", key_file(root), "--report", report),
        status=status,
    )
    assert [p.name for p in (root / "out").iterdir()] == ["customers.csv"]
    assert len(cells(root / "out" / "customers.csv")) == 200
    told = json.loads(report.read_text(encoding="utf-8"))
    assert [table["source"] for table in told["tables"]] == ["customers.csv"]
    assert len(told["left_out"]) == 1 and told["left_out"][0]["reason"] in said
    assert "1 file" in said
    return said


def database(path: Path) -> None:
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE staff (id INTEGER PRIMARY KEY, room TEXT NOT NULL)")
        base.executemany("INSERT INTO staff (room) VALUES (?)", [(f"R{i % 60}",) for i in range(300)])


def test_a_value_without_a_place_in_its_format(tmp_path: Path) -> None:
    database(shop(tmp_path) / "staff.db")
    plan = planned(tmp_path / "shop", tmp_path / "plan.toml", room='operator = "suppress"')
    said = masked(tmp_path, plan)
    assert "left out: " in said and "staff.db: staff: a key or a constraint of the table refuses the new values" in said


def test_an_operator_that_refuses_its_column(tmp_path: Path) -> None:
    data = shop(tmp_path)
    words = pl.DataFrame({"word": [f"w{i % 9}" for i in range(900)]})
    words.write_csv(data / "words.csv")
    plan = planned(data, tmp_path / "plan.toml", word='operator = "hash"\ndomain = "WORD"')
    said = masked(tmp_path, plan)
    assert "words.csv: column word has 9 different values" in said
    words.write_csv(tmp_path / "words.csv")
    call = [
        "mask",
        tmp_path / "words.csv",
        "--plan",
        plan,
        "-o",
        tmp_path / "words-out.csv",
        "--key",
        f"file:{tmp_path}/key",
    ]
    assert "column word has 9 different values" in piiscan(*call, status=2)  # a single file is all there is


def test_a_mistake_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise TypeError("quotes the cell 4711")

    data = shop(tmp_path)
    (data / "notes.json").write_text(json.dumps([{"ssn": f"{i + 101}-12-{i + 1234}"} for i in range(90)]))
    plan = planned(data, tmp_path / "plan.toml")
    monkeypatch.setattr(json_writer, "write", broken)
    said = masked(tmp_path, plan)
    assert "notes.json: internal error: TypeError at piiscan/" in said and "4711" not in said


def test_an_archive_goes_as_a_whole(tmp_path: Path) -> None:
    data = shop(tmp_path)
    database(tmp_path / "staff.db")
    with zipfile.ZipFile(data / "all.zip", "w") as archive:
        archive.write(tmp_path / "staff.db", "staff.db")
        archive.writestr("b.csv", "id,city\n1,Boston\n")
    plan = planned(data, tmp_path / "plan.toml", room='operator = "suppress"')
    assert "all.zip: staff.db, staff: a key or a constraint" in masked(tmp_path, plan)


def test_all_may_be_left_out(tmp_path: Path) -> None:
    data = tmp_path / "shop"
    data.mkdir()
    database(data / "staff.db")
    plan = planned(data, tmp_path / "plan.toml", room='operator = "suppress"')
    call = ["mask", data, "--plan", plan, "-o", tmp_path / "out", "--key", key_file(tmp_path)]
    assert "Nothing was written" in piiscan(*call, status=3)
    assert not (tmp_path / "out").exists()
    assert "refuses the new values" in piiscan("mask", data / "staff.db", *call[2:4], "-o", tmp_path / "o.db", status=4)


def test_a_plan_that_does_not_fit_still_stops_all(tmp_path: Path) -> None:
    data = shop(tmp_path)
    customers(50).write_csv(data / "more.csv")
    plan = planned(data, tmp_path / "plan.toml")
    customers(50).drop("city").write_csv(data / "more.csv")
    call = ["mask", data, "--plan", plan, "--key", key_file(tmp_path), "-o", tmp_path / "out"]
    assert "more.csv: the plan's column city isn't there" in piiscan(*call, status=2)
    assert not (tmp_path / "out").exists()
