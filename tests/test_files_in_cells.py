"""Cells that hold files of their own: no rule looks into them, so they are not scanned, and masks leave nothing of
them."""

from __future__ import annotations

import base64
import gzip
import json
import random
import sqlite3
import struct
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import fastavro
import pandas
import polars as pl
import pyarrow
import pytest
from conftest import run_piiscan

import piiscan

KEY = bytes(range(30, 62)).hex()
RANDOM = random.Random(5)
INSIDE = b"Anna Kowalska, anna.kowalska@post.example, 1990-02-03"
FILES: dict[str, tuple[bytes, str]] = {
    "jpeg": (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + RANDOM.randbytes(200), "pictures"),
    "png": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + RANDOM.randbytes(200), "pictures"),
    "gif": (b"GIF89a\x10\x00\x10\x00" + RANDOM.randbytes(200), "pictures"),
    "tiff": (b"II*\x00\x08\x00\x00\x00" + RANDOM.randbytes(200), "pictures"),
    "webp": (b"RIFF\x24\x00\x00\x00WEBPVP8 " + RANDOM.randbytes(200), "pictures"),
    "heic": (b"\x00\x00\x00\x18ftypheic\x00\x00" + RANDOM.randbytes(200), "pictures"),
    "mp3": (b"ID3\x04\x00\x00\x00\x00\x10\x00" + RANDOM.randbytes(200), "sound or video"),
    "wav": (b"RIFF\x24\x00\x00\x00WAVEfmt " + RANDOM.randbytes(200), "sound or video"),
    "mp4": (b"\x00\x00\x00\x18ftypmp42\x00\x00" + RANDOM.randbytes(200), "sound or video"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + RANDOM.randbytes(200), "documents"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + RANDOM.randbytes(200), "documents"),
    "zip": (b"PK\x03\x04\x14\x00\x00\x00" + RANDOM.randbytes(200), "archives or compressed data"),
    "gzip": (gzip.compress(INSIDE, mtime=0), "archives or compressed data"),
    "zlib": (zlib.compress(INSIDE), "archives or compressed data"),
    "sqlite": (b"SQLite format 3\x00\x10\x00\x01\x01" + RANDOM.randbytes(200), "databases or tables"),
}
WRITTEN: dict[str, Callable[[bytes], str]] = {
    "base64": lambda raw: base64.b64encode(raw).decode(),
    "base64 of URLs": lambda raw: base64.urlsafe_b64encode(raw).decode(),
    "base64 behind a blank": lambda raw: f" {base64.b64encode(raw).decode()}",
    "base64 in lines": lambda raw: base64.encodebytes(raw).decode(),
    "bytea": lambda raw: "\\x" + raw.hex(),
    "0x": lambda raw: "0x" + raw.hex().upper(),
    "latin-1": lambda raw: raw.decode("latin-1"),
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> str:
    monkeypatch.setenv("PIISCAN_KEY", KEY)
    path = tmp_path_factory.mktemp("key") / "key"
    monkeypatch.chdir(path.parent)  # where the vault of people is
    path.write_text(KEY)
    path.chmod(0o600)
    return f"file:{path}"


def frame(cells: list[object]) -> pl.DataFrame:
    mails = [f"person{i}@post-office.com" for i in range(len(cells))]
    return pl.DataFrame({"number": range(len(cells)), "email": mails, "attached": cells})


def reasons(source: object) -> dict[str | None, str]:
    report = piiscan.scan(source)  # type: ignore[arg-type]
    assert report.complete is (not report.not_scanned)
    return {entry.column: entry.reason for entry in report.not_scanned}


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("name", FILES)
def test_files_are_known_however_they_are_written(name: str, written: str) -> None:
    raw, kind = FILES[name]
    found = reasons(frame([WRITTEN[written](raw), None, "a text", WRITTEN[written](raw)]))
    assert set(found) == {"attached"} and f"2 cells hold {kind}, which weren't read" in found["attached"]


@pytest.mark.parametrize(
    ("mime", "kind"),
    [("image/jpeg", "pictures"), ("image/svg+xml", "pictures"), ("audio/mpeg", "sound"), ("application/pdf", "docu")],
)
def test_urls_that_hold_files(mime: str, kind: str) -> None:
    (reason,) = reasons(frame([f"data:{mime};base64,{base64.b64encode(RANDOM.randbytes(90)).decode()}"])).values()
    assert f"1 cell holds {kind}" in reason


HARMLESS: dict[str, list[object]] = {
    "hashes": [RANDOM.randbytes(32) for _ in range(40)],
    "hashes in hexadecimal": [RANDOM.randbytes(32).hex() for _ in range(2000)],
    "a hash that begins as pictures do": ["ffd8ffe0" + RANDOM.randbytes(28).hex()],
    "a hash that begins as gzip does": ["1f8b08" + RANDOM.randbytes(13).hex() + "70" * 4, "1f8b08" + "90" * 29],
    "tokens": [base64.b64encode(RANDOM.randbytes(48)).decode() for _ in range(2000)],
    "points": [b"\x01" + struct.pack("<Idd", 1, RANDOM.random(), 50.0) for _ in range(40)],
    "lines of points": [b"\x01" + struct.pack("<II40d", 2, 20, *[RANDOM.random()] * 40) for _ in range(40)],
    "texts": ["GIF89a is a format of pictures", "PK are the letters of Phil Katz", "RIFF is a container of sounds"],
    "texts as bytes": [b"a text of some length, which is written in bytes, as some programs do"] * 3,
    "a text in a URL": ["data:application/json;base64," + base64.b64encode(b'{"colour": "red"}').decode()],
}


@pytest.mark.parametrize("name", HARMLESS)
def test_other_cells_are_no_files(name: str) -> None:
    assert not reasons(frame(HARMLESS[name]))


def test_bytes_of_no_known_kind_count_as_not_scanned() -> None:
    (reason,) = reasons(frame([RANDOM.randbytes(300) for _ in range(9)])).values()
    assert reason.startswith("9 cells hold bytes of no kind that is known, which weren't read")


def _csv(made: pl.DataFrame, path: Path) -> None:
    made.with_columns(pl.col("attached").bin.encode("base64")).write_csv(path)


def _jsonl(made: pl.DataFrame, path: Path) -> None:
    made.with_columns(pl.col("attached").bin.encode("base64")).write_ndjson(path)


def _sqlite(made: pl.DataFrame, path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE people (number INTEGER, email TEXT, attached BLOB)")
        db.executemany("INSERT INTO people VALUES (?, ?, ?)", made.rows())


def _duckdb(made: pl.DataFrame, path: Path) -> None:
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE people (number INTEGER, email TEXT, attached BLOB)")
        db.executemany("INSERT INTO people VALUES (?, ?, ?)", made.rows())


def _avro(made: pl.DataFrame, path: Path) -> None:
    fields = [{"name": n, "type": t} for n, t in (("number", "long"), ("email", "string"), ("attached", "bytes"))]
    fields[2]["type"] = ["null", "bytes"]  # type: ignore[assignment]
    with path.open("wb") as out:
        fastavro.writer(out, {"type": "record", "name": "r", "fields": fields}, made.to_dicts())


def _sql(made: pl.DataFrame, path: Path) -> None:
    rows = ",\n".join(f"({n},'{mail}','\\x{cell.hex()}')" for n, mail, cell in made.rows())
    path.write_text(
        "-- PostgreSQL database dump\nCREATE TABLE public.people (number integer, email text, attached bytea);\n"
        f"INSERT INTO public.people VALUES {rows};\n"
    )


FORMATS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    "people.csv": _csv,
    "people.jsonl": _jsonl,
    "people.parquet": pl.DataFrame.write_parquet,
    "people.arrow": pl.DataFrame.write_ipc,
    "people.avro": _avro,
    "people.db": _sqlite,
    "people.duckdb": _duckdb,
    "people.sql": _sql,
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_scan_says_what_it_did_not_read_and_masks_leave_nothing_of_it(name: str, tmp_path: Path, key: str) -> None:
    secrets = [b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + RANDOM.randbytes(90) for _ in range(30)]
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / name
    FORMATS[name](frame(list(secrets)), path)

    done = run_piiscan("scan", path)
    assert done.returncode == 3, done.stdout
    assert "30 cells hold pictures" in " ".join(done.stdout.split())
    assert "Incomplete: 1 input" in done.stdout and "Clean" not in done.stderr

    done = run_piiscan("plan", path, "-o", tmp_path / "plan.toml")
    assert done.returncode == 0, done.stderr
    done = run_piiscan("mask", path, "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out" / name, "--key", key)
    assert done.returncode == 0, done.stderr
    masked, *_ = piiscan.scan(tmp_path / "out" / name).tables
    assert masked.complete and masked.rows == 30
    made = (tmp_path / "out" / name).read_bytes()
    for secret in secrets:
        whole = secret[12:90]
        assert whole not in made and whole.hex().encode() not in made and base64.b64encode(whole) not in made


@pytest.mark.parametrize("name", ["people.db", "people.duckdb"])
def test_emptied_cells_that_must_not_be_null_are_empty(name: str, tmp_path: Path, key: str) -> None:
    made = frame([FILES["jpeg"][0]] * 20)
    path, out = tmp_path / name, tmp_path / f"out-{name}"
    create = "CREATE TABLE people (number INTEGER, email TEXT NOT NULL, attached BLOB NOT NULL)"
    if name == "people.db":
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(create)
            db.executemany("INSERT INTO people VALUES (?, ?, ?)", made.rows())
    else:
        with duckdb.connect(str(path)) as db:
            db.execute(create)
            db.executemany("INSERT INTO people VALUES (?, ?, ?)", made.rows())
    done = run_piiscan("mask", path, "-o", out, "--key", key)
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(out) if name == "people.db" else duckdb.connect(str(out))) as db:
        assert db.execute("SELECT DISTINCT attached FROM people").fetchall() == [(b"",)]


def test_a_plan_without_it_refuses_files_and_a_human_may_keep_them() -> None:
    before, after = frame(["a note"] * 20), frame([FILES["jpeg"][0]] * 20)
    plan = piiscan.plan(before)
    with pytest.raises(piiscan.ReadError, match=r"column attached: 20 cells hold pictures.*decided_by"):
        piiscan.mask(after.with_columns(pl.col("attached").bin.encode("base64")), plan)
    (table,) = piiscan.plan(after).tables
    decided = [
        replace(a, operator="keep", params={}, decided_by="human") if a.name == "attached" else a for a in table.columns
    ]
    kept = piiscan.mask(after, replace(piiscan.plan(after), tables=(replace(table, columns=tuple(decided)),)))
    assert kept["attached"].to_list() == after["attached"].to_list()


@pytest.mark.parametrize("kind", [pl.DataFrame, pandas.DataFrame, pyarrow.table])
def test_frames_of_any_kind(kind: Callable[[dict[str, list[object]]], object]) -> None:
    data = kind({"email": [f"p{i}@post-office.com" for i in range(20)], "photo": [FILES["png"][0]] * 20})
    assert set(reasons(data)) == {"photo"}
    plan = piiscan.plan(data)
    assert [a.operator for a in plan.tables[0].columns if a.name == "photo"] == ["suppress"]
    (compared,) = piiscan.compare(data, piiscan.mask(data, plan), plan).to_dict()["tables"]
    assert [c["changed"] for c in compared["columns"]] == [0, 20]


def test_parts_count_what_the_whole_counts() -> None:
    made = frame([FILES["jpeg"][0], FILES["pdf"][0], b"a text", None] * 10)
    scanner = piiscan.Scanner()
    parts = [scanner.partial(part) for part in made.iter_slices(7)]
    report = scanner.finish(sum(parts[1:], start=parts[0]), made)
    assert [(e.column, e.reason) for e in report.not_scanned] == [
        (e.column, e.reason) for e in piiscan.scan(made).not_scanned
    ]
    assert "20 cells hold pictures or documents" in report.not_scanned[0].reason


def test_lines_of_a_text_that_hold_a_file_leave_it_out(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("Dear all,\nhere is the picture that we took.\n" + WRITTEN["base64"](FILES["jpeg"][0]) + "\nBye\n")
    done = run_piiscan("scan", path)
    assert done.returncode == 3 and "1 line holds pictures, which weren't read" in " ".join(done.stdout.split())
    done = run_piiscan("mask", path, "-o", tmp_path / "out.txt")
    assert done.returncode == 3 and not (tmp_path / "out.txt").exists()


def test_pictures_that_a_notebook_draws_are_skipped_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    drawn = WRITTEN["base64"](FILES["png"][0])
    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {},
        "source": ["draw(a)"],
        "outputs": [
            {"output_type": "display_data", "metadata": {}, "data": {"image/png": drawn, "text/plain": ["a plot"]}}
        ],
    }
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert not reasons(path)
    done = run_piiscan("mask", path, "-o", tmp_path / "out.ipynb")
    assert done.returncode == 0, done.stderr
    made = json.loads((tmp_path / "out.ipynb").read_text())
    assert made["cells"][0]["outputs"][0]["data"] == {"text/plain": ["a plot"]}


@pytest.mark.parametrize("files", [20, 15])
def test_explain_says_what_it_knows_of(files: int, tmp_path: Path) -> None:
    cells = [FILES["jpeg"][0]] * files + [b"nothing but words"] * (20 - files)
    frame(cells).write_parquet(tmp_path / "people.parquet")
    done = run_piiscan("explain", f"{tmp_path / 'people.parquet'}::attached")
    assert f"{files} of its cells hold files, which weren't read." in done.stdout
    assert ("There are no others." in done.stdout) == (files == 20)
    assert ("Of the others:" in done.stdout and "% sure" in done.stdout) == (files < 20)


def test_a_column_that_is_declared_counts_as_looked_at(tmp_path: Path) -> None:
    made = frame([FILES["jpeg"][0]] * 20).drop("email")
    made.write_parquet(tmp_path / "tiles.parquet")
    (tmp_path / "piiscan.toml").write_text('[[columns]]\npath = "tiles.parquet"\ncolumn = "attached"\nis = "none"\n')
    done = run_piiscan("scan", "tiles.parquet", cwd=tmp_path)
    assert done.returncode == 0 and "Clean" in done.stderr, done.stdout
    assert [a.operator for a in piiscan.plan(made).tables[0].columns] == ["keep", "suppress"]


def test_what_nobody_read_is_not_published() -> None:
    made = frame([FILES["jpeg"][0]] * 40).drop("email").with_columns(age=pl.lit(30))
    with pytest.raises(piiscan.UsageError, match="column attached: its cells hold files"):
        piiscan.anonymize(made, k=2, quasi=["age"])
    assert piiscan.anonymize(made, k=2, quasi=["age"], insensitive=["attached", "number"]) is not None
