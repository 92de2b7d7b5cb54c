"""One table's failure stops no other: its file has no output and is listed, and the status says so."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import polars as pl
import pytest
from conftest import run_piiscan
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
        base.execute("CREATE TABLE staff (id INTEGER PRIMARY KEY, room INTEGER NOT NULL)")
        base.executemany("INSERT INTO staff (room) VALUES (?)", [(i % 60,) for i in range(300)])


def test_a_value_without_a_place_in_its_format(tmp_path: Path) -> None:
    database(shop(tmp_path) / "staff.db")
    plan = planned(tmp_path / "shop", tmp_path / "plan.toml", room='operator = "suppress"')
    said = masked(tmp_path, plan)
    assert (
        "left out: " in said
        and "staff.db: staff: the NOT NULL constraint of column room refuses the new values" in said
    )


@pytest.mark.parametrize(
    ("where", "log", "text", "kind"),
    [
        ("", "_delta_log/00000000000000000000.json", '{"add":{"path":"a.parquet"}}', "a Delta table"),
        ("day=1/hour=2", "metadata/v1.metadata.json", '{"format-version":2}', "an Iceberg table"),
        ("", ".hoodie/hoodie.properties", "hoodie.table.name=t", "a Hudi table"),
        ("day=1/hour=2", ".hoodie/hoodie.properties", "hoodie.table.name=t", "a Hudi table"),
    ],
)
def test_a_table_with_a_log_beside_its_files(tmp_path: Path, where: str, log: str, text: str, kind: str) -> None:
    """Its log would keep what its files held."""
    lake = shop(tmp_path) / "lake"
    for path in (lake / log, lake / where / "a.parquet"):
        path.parent.mkdir(parents=True, exist_ok=True)
    (lake / log).write_text(text + "\n", encoding="utf-8")
    customers(200).write_parquet(lake / where / "a.parquet")
    plan = planned(tmp_path / "shop", tmp_path / "plan.toml")
    assert f"lake: {kind}, whose log holds values of its own" in masked(tmp_path, plan)
    call = ("--plan", plan, "-o", tmp_path / "other", "--key", key_file(tmp_path))
    report = ("--report", tmp_path / "nothing.json")
    assert "Nothing was written" in piiscan("mask", lake, *call[2:], *report, status=3)
    told = json.loads((tmp_path / "nothing.json").read_text(encoding="utf-8"))
    assert told["verified"] is None and told["complete"] is False and told["left_out"][0]["source"] == "."
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("name", "log"),
    [
        ("t.zip", "t/_delta_log/0.json"),
        ("t.zip", "t/.hoodie/1.commit"),
        ("t.zip", "t/metadata/v1.metadata.json"),
        ("t.tar", "t/.hoodie/1.commit"),
        ("t.tgz", "t/metadata/v1.metadata.json"),
    ],
)
def test_such_a_table_in_an_archive(tmp_path: Path, name: str, log: str) -> None:
    customers(200).write_parquet(tmp_path / "a.parquet")
    files = {"t/a.parquet": (tmp_path / "a.parquet").read_bytes(), log: b'{"add":{"stats":"Anna Miller"}}\n'}
    _pack(shop(tmp_path) / name, files)
    plan = planned(tmp_path / "shop", tmp_path / "plan.toml")
    assert f"{name}: t: a" in (said := masked(tmp_path, plan))
    assert "table, whose log holds values of its own and would no longer fit its files; export it as Parquet" in said
    assert "nothing matched" not in said


def test_such_a_table_in_an_archive_within_another_and_for_other_verbs(tmp_path: Path) -> None:
    customers(200).write_parquet(tmp_path / "a.parquet")
    parts = {"./a.parquet": (tmp_path / "a.parquet").read_bytes(), "./_delta_log/0.json": b'{"a":1}\n'}
    _pack(tmp_path / "t.tar", parts)
    _pack(tmp_path / "more.zip", {"old/t.tar": (tmp_path / "t.tar").read_bytes()})
    why = "a Delta table, whose log holds values of its own"
    key = ("--key", key_file(tmp_path))
    said = piiscan("mask", tmp_path / "more.zip", "-o", tmp_path / "out.zip", *key, status=3)
    assert f"more.zip: old/t.tar: {why}" in said and said.splitlines()[-1].startswith("Nothing was written to ")
    for data in ("t.tar", "more.zip"):
        out = ("-o", tmp_path / "out")
        protected = piiscan("protect", tmp_path / data, "--k", 5, "--one-row-per-person", *out, status=3)
        anonymized = piiscan("anonymize", tmp_path / data, "--k", 5, "--quasi", "city", *out, status=3)
        assert why in protected and why in anonymized
    assert not (tmp_path / "out").exists() and not (tmp_path / "out.zip").exists()


def _pack(path: Path, files: dict[str, bytes]) -> None:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return
    with tarfile.open(path, "w:gz" if path.suffix == ".tgz" else "w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))


def test_tables_of_what_was_left_out_are_no_unknown_ones(tmp_path: Path) -> None:
    data = shop(tmp_path)
    (data / "people_2024-01-01.csv.gz").write_bytes(gzip.compress(b"name,mail\n" + b"Ann,ann@firm.com\n" * 30))
    _pack(data / "all.zip", {"a.csv": b"name,mail\n" + b"Ann,ann@firm.com\n" * 30, "b.sql": b"SELECT 1;\n"})
    (data / "gone.csv").write_text("city,mail\n" + "Boston,ann@firm.com\n" * 30)
    plan = planned(data, tmp_path / "plan.toml")
    (data / "gone.csv").unlink()
    old = data / "people_2024-01-01.csv.gz"
    (data / "people_2024-01-02.csv.gz").write_bytes(old.read_bytes()[:40])  # that of another day, and cut off
    old.unlink()
    said = piiscan("mask", data, "--plan", plan, "-o", tmp_path / "out", "--key", key_file(tmp_path), status=3)
    assert "The plan has 1 table that nothing matched: gone.csv\n" in said


def test_an_empty_folder_is_as_good_as_clean(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    assert "There was nothing to scan." in piiscan("scan", tmp_path / "none")
    said = piiscan("mask", tmp_path / "none", "-o", tmp_path / "out", "--key", key_file(tmp_path))
    assert "There was nothing to mask. Nothing was written" in said and not (tmp_path / "out").exists()


def test_what_to_do_about_an_archive(tmp_path: Path) -> None:
    table = b"name,mail\n" + b"Ann,ann@firm.com\n" * 30
    key = ("-o", tmp_path / "out.zip", "--key", key_file(tmp_path))
    for name, text, advice in (
        ("b.sql", b"SELECT 1;\n", "load it into a database"),
        ("b.html", b"<html><p>Ask Ann Miller, ann@firm.com, about it.</p></html>\n", "convert it to JSON or CSV"),
        ("b.png", b"\x89PNG\r\n\x1a\n" + bytes(20), "copy it yourself if it holds no personal data"),
    ):
        _pack(tmp_path / "all.zip", {"a.csv": table, name: text})
        said = piiscan("mask", tmp_path / "all.zip", *key, status=3)
        assert f"all.zip: {name}: " in said and advice in said
        assert "or unpack the archive, and mask the folder, which leaves out this file alone" in said


ROWS = "".join(f"UPDATE people SET mail = 'jane{i}@mail.example' WHERE id = {i};\n" for i in range(40))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dump.sql", "SELECT 'jane.doe@mail.example';\n" * 20),
        ("dump.sql.gz", ROWS),
        ("dump", "-- a dump\n\ncreate temp table people (id int, mail text);\n" + ROWS),
        ("dump.txt", "COPY public.people (id, mail) FROM stdin CSV;\n" + "1,jane.doe@mail.example\n" * 40 + "\\.\n"),
    ],
)
def test_statements_are_no_table(tmp_path: Path, name: str, text: str) -> None:
    data = text.encode()
    (shop(tmp_path) / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    plan = planned(tmp_path / "shop", tmp_path / "plan.toml")
    assert f"{name}: SQL, whose statements aren't read as tables" in masked(tmp_path, plan)


@pytest.mark.parametrize("others", [0, 2], ids=["one table", "with texts"])
@pytest.mark.parametrize("name", ["new.sql", "new.sql.gz", "new"])
def test_statements_that_the_plan_does_not_know_are_left_out(tmp_path: Path, name: str, others: int) -> None:
    data = shop(tmp_path)
    for i in range(others):
        note = f"anna.smith{i}@firm.com called Anna Smith"
        pl.DataFrame({"mail": [f"anna.smith{n}@firm.com" for n in range(40)], "note": [note] * 40}).write_csv(
            data / f"notes_of_{'ab'[i]}.csv"
        )
    plan = planned(data, tmp_path / "plan.toml")
    (data / name).write_bytes(gzip.compress(ROWS.encode()) if name.endswith(".gz") else ROWS.encode())
    out, key = tmp_path / "out", key_file(tmp_path)
    said = piiscan("mask", data, "--plan", plan, "-o", out, "--key", key, status=3)
    assert f"{name}: SQL, whose statements aren't read as tables" in said
    assert len(list(out.iterdir())) == 1 + others and not (out / name).exists()
    piiscan("verify", data, out, "--plan", plan, "--key", key, status=3)
    (data / "new.csv").write_text("city,mail\n" + "Boston,ann@firm.com\n" * 30)
    piiscan("mask", data, "--plan", plan, "-o", tmp_path / "again", "--key", key, status=2)


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
    assert "words.csv: column word has only 9 different masks" in said
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
    assert "column word has only 9 different masks" in piiscan(*call, status=2)  # a single file is all there is


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
    assert "all.zip: staff.db, staff: the NOT NULL constraint" in masked(tmp_path, plan)


def test_all_may_be_left_out(tmp_path: Path) -> None:
    data = tmp_path / "shop"
    data.mkdir()
    database(data / "staff.db")
    plan = planned(data, tmp_path / "plan.toml", room='operator = "suppress"')
    call = ["mask", data, "--plan", plan, "-o", tmp_path / "out", "--key", key_file(tmp_path)]
    assert "Nothing was written" in piiscan(*call, status=3)
    assert not (tmp_path / "out").exists()
    assert "refuses the new values" in piiscan("mask", data / "staff.db", *call[2:4], "-o", tmp_path / "o.db", status=2)


def test_a_plan_that_does_not_fit_still_stops_all(tmp_path: Path) -> None:
    data = shop(tmp_path)
    customers(50).write_csv(data / "more.csv")
    plan = planned(data, tmp_path / "plan.toml")
    customers(50).drop("city").write_csv(data / "more.csv")
    call = ["mask", data, "--plan", plan, "--key", key_file(tmp_path), "-o", tmp_path / "out"]
    assert "more.csv: it lacks the plan's column city" in piiscan(*call, status=2)
    assert not (tmp_path / "out").exists()


def test_a_plan_and_its_vaults_among_the_data_are_none_of_them(tmp_path: Path) -> None:
    """They are left out each time, the vaults that the first run made too."""
    data, key = tmp_path / "data", key_file(tmp_path)
    data.mkdir()
    people = customers(60).with_columns(ref=pl.Series([f"{i:03}" for i in range(60)]))
    people.write_csv(data / "people.csv")
    people.select("customer_id", "first_name", "last_name").write_csv(data / "members.csv")
    for out in ("once", "again"):
        made = run_piiscan("plan", ".", "-o", "plan.toml", cwd=data)
        assert made.returncode == 0, made.stderr
        done = run_piiscan("mask", ".", "--plan", "plan.toml", "-o", tmp_path / out, "--key", key, cwd=data)
        assert done.returncode == 0 and "read or written by this command" in done.stderr, done.stderr
        assert sorted(file.name for file in (tmp_path / out).iterdir()) == ["members.csv", "people.csv"]
    assert (data / "piiscan-people-vault").exists()
    check = ["verify", ".", tmp_path / "again", "--plan", "plan.toml", "--key", key]
    assert run_piiscan(*check, cwd=data).returncode == 0
