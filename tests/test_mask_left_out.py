"""One table's failure stops no other: its file has no output and is listed, and the status says so."""

from __future__ import annotations

import gzip
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


@pytest.mark.parametrize(
    ("log", "text", "kind"),
    [
        ("_delta_log/00000000000000000000.json", '{"add":{"path":"a.parquet"}}', "a Delta table"),
        ("metadata/v1.metadata.json", '{"format-version":2}', "an Iceberg table"),
        (".hoodie/hoodie.properties", "hoodie.table.name=t", "a Hudi table"),
    ],
)
@pytest.mark.parametrize("where", ["", "day=1/hour=2"])
def test_a_table_with_a_log_beside_its_files(tmp_path: Path, log: str, text: str, kind: str, where: str) -> None:
    """Its log would keep what its files held."""
    lake = shop(tmp_path) / "lake"
    for path in (lake / log, lake / where / "a.parquet"):
        path.parent.mkdir(parents=True, exist_ok=True)
    (lake / log).write_text(text + "\n", encoding="utf-8")
    customers(200).write_parquet(lake / where / "a.parquet")
    plan = planned(tmp_path / "shop", tmp_path / "plan.toml")
    assert f"lake: {kind}, whose log holds values of its own" in masked(tmp_path, plan)
    call = ("--plan", plan, "-o", tmp_path / "other", "--key", key_file(tmp_path))
    assert "Nothing was written" in piiscan("mask", lake, *call[2:], status=3)
    assert not (tmp_path / "other").exists()


ROWS = "".join(f"INSERT INTO people VALUES ({i}, 'jane{i}@mail.example');\n" for i in range(40))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dump.sql", "SELECT 'jane.doe@mail.example';\n" * 20),
        ("dump.sql.gz", ROWS),
        ("dump", "-- a dump\n\ncreate temp table people (id int, mail text);\n" + ROWS),
        ("dump.txt", "COPY public.people (id, mail) FROM stdin;\n" + "1\tjane.doe@mail.example\n" * 40 + "\\.\n"),
    ],
)
def test_statements_are_no_table(tmp_path: Path, name: str, text: str) -> None:
    data = text.encode()
    (shop(tmp_path) / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    plan = planned(tmp_path / "shop", tmp_path / "plan.toml")
    assert f"{name}: SQL, whose statements aren't read as tables" in masked(tmp_path, plan)


def test_words_that_are_statements_elsewhere(tmp_path: Path) -> None:
    path, out = tmp_path / "notes.txt", tmp_path / "out.txt"
    said = ("Create a table for two", "insert into the slot", "copy it from stdin to here", "Insert coin into a slot")
    path.write_text("".join(f"{text}, says jane{i}@mail.example\n" for i in range(20) for text in said))
    piiscan("mask", path, "-o", out, "--key", key_file(tmp_path))
    assert "jane" not in out.read_text() and out.read_text().count("insert into the slot") == 20


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
