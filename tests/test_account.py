"""A byte of an input is read, or a line of the report says that it wasn't: needles before, behind and between what
formats hold."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import fastavro
import openpyxl
import polars as pl
import pytest
from backports import zstd
from fuzz import corpus

import piiscan
from piiscan.core.types import NotScanned
from piiscan.io.content import Account, Content, ReadTable
from piiscan.io.inputs import discover
from piiscan.io.read_options import ReadOptions
from piiscan.io.walk import found_in

FRAME = pl.DataFrame({"colour": ["red", "blue", "green"] * 20, "amount": list(range(60))})
CSV = FRAME.write_csv().encode()
NEEDLE = b"\nssn 536-22-1234 jo.brown@example.com\n"


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", CSV)
    return out.getvalue()


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("a.csv")
        entry.size = len(CSV)
        archive.addfile(entry, io.BytesIO(CSV))
    return out.getvalue()


def _binary(write: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def _avro(out: io.BytesIO) -> None:
    schema = {
        "type": "record",
        "name": "r",
        "fields": [{"name": "colour", "type": "string"}, {"name": "amount", "type": "long"}],
    }
    fastavro.writer(out, schema, FRAME.to_dicts())


def _excel(out: io.BytesIO) -> None:
    book = openpyxl.Workbook()
    for row in [FRAME.columns, *FRAME.rows()]:
        book.active.append(row)
    book.save(out)


def _document() -> bytes:
    rows = [FRAME.columns, *FRAME.rows()]
    cells = ["".join(f"<tc><p><r><t>{cell}</t></r></p></tc>" for cell in row) for row in rows]
    table = f"<document><tbl>{''.join(f'<tr>{row}</tr>' for row in cells)}</tbl></document>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", table)
    return out.getvalue()


def _sqlite() -> bytes:
    with sqlite3.connect(":memory:") as db:
        db.execute("create table t (colour text, amount integer)")
        db.executemany("insert into t values (?, ?)", FRAME.rows())
        db.commit()
        return db.serialize()


FILES: dict[str, bytes] = {
    "t.csv": CSV,
    "t.tsv": FRAME.write_csv(separator="\t").encode(),
    "t.txt": b"a line of text\nand one more\n",
    "t.json": json.dumps(FRAME.to_dicts()).encode(),
    "t.jsonl": FRAME.write_ndjson().encode(),
    "t.parquet": _binary(lambda out: FRAME.write_parquet(out)),
    "t.arrow": _binary(lambda out: FRAME.write_ipc(out)),
    "t.arrows": _binary(lambda out: FRAME.write_ipc_stream(out)),
    "t.avro": _binary(_avro),
    "t.xlsx": _binary(_excel),
    "t.docx": _document(),
    "t.pdf": corpus.KINDS["pdf"].make(random.Random(0), {}),
    "t.sqlite": _sqlite(),
    "t.csv.gz": gzip.compress(CSV),
    "t.csv.bz2": bz2.compress(CSV),
    "t.csv.xz": lzma.compress(CSV),
    "t.csv.zst": zstd.compress(CSV),
    "t.zip": _zip(),
    "t.tar": _tar(),
    "t.tar.gz": gzip.compress(_tar()),
}
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "needle behind": lambda data: data + NEEDLE,
    "needle before": lambda data: NEEDLE + data,
    "zeros and a needle behind": lambda data: data + bytes(1024) + NEEDLE + bytes(600),
    "twice, a needle between": lambda data: data + NEEDLE + data,
    "another file behind": lambda data: data + b"ssn\n536-22-1234\n",
    "a packed file behind": lambda data: data + gzip.compress(b"email,ssn\njo.brown@example.com,536-22-1234\n" * 5),
    "an archive behind": lambda data: data + _zip().replace(b"red", b"red"),
}


def found(folder: Path) -> bool:
    """Whether a scan of the folder found something, or said that it is incomplete."""
    report = piiscan.scan(folder)
    inside = any(i.entity in ("US_SSN", "EMAIL_ADDRESS") for c in report.columns for i in c.inside)
    return (
        not report.complete
        or inside
        or bool(report.scan_report.in_names)
        or any(c.entity in ("US_SSN", "EMAIL_ADDRESS") for c in report.columns)
    )


@pytest.mark.parametrize("name", FILES)
def test_sound_files_are_complete_and_clean(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    report = piiscan.scan(tmp_path)
    assert report.complete, report.not_scanned
    assert report.tables and not any(c.entity in ("US_SSN", "EMAIL_ADDRESS") for c in report.columns)


@pytest.mark.parametrize("damage", [d for d in DAMAGE if d != "an archive behind"])
@pytest.mark.parametrize("name", FILES)
def test_a_needle_is_found_or_the_scan_is_incomplete(tmp_path: Path, name: str, damage: str) -> None:
    (tmp_path / name).write_bytes(DAMAGE[damage](FILES[name]))
    assert found(tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_so_it_is_without_an_ending(tmp_path: Path, name: str) -> None:
    (tmp_path / "data").write_bytes(FILES[name] + NEEDLE)
    assert found(tmp_path)


@pytest.mark.parametrize("name", [n for n in FILES if n not in ("t.csv", "t.tsv", "t.txt", "t.jsonl", "t.tar")])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_what_is_cut_short_is_incomplete(tmp_path: Path, name: str, share: float) -> None:
    (tmp_path / name).write_bytes(FILES[name][: int(len(FILES[name]) * share)])
    assert not piiscan.scan(tmp_path).complete


def test_an_account_reveals_its_gaps() -> None:
    account = Account()
    assert account.unread(10) == [(0, 10)] and account.unread(0) == []
    for start, end in ((4, 6), (0, 2), (5, 7), (7, 8), (3, 3)):
        account.read(start, end)
    assert account.unread(10) == [(2, 4), (8, 10)]
    account.read(0, 10)
    assert account.unread(10) == []


def test_a_reader_that_claims_nothing_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Content, "read_whole", lambda content: None)
    (tmp_path / "t.csv").write_bytes(CSV)
    items = []
    for item in discover([str(tmp_path)], ReadOptions()):
        items.append(item)
        if isinstance(item, ReadTable):
            list(item.batches())
    assert isinstance(items[-1], NotScanned) and "bytes were not read, from byte 0 on" in items[-1].reason


def test_tables_that_nobody_read_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(CSV)
    assert [type(item) for item in discover([str(tmp_path)], ReadOptions())] == [ReadTable]
    sample = list(discover([str(tmp_path)], ReadOptions(rows=2)))
    assert len(list(sample[0].batches())) == 1 and len(sample) == 1  # type: ignore[union-attr]
    assert found_in.__doc__


@pytest.mark.parametrize("change", ["append", "replace", "same size", "remove"])
def test_a_file_that_changes_while_it_is_read_is_not_scanned(tmp_path: Path, change: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(CSV)
    reasons: list[str] = []
    for item in discover([str(tmp_path)], ReadOptions()):
        if isinstance(item, ReadTable):
            list(item.batches())
            if change == "append":
                with path.open("ab") as file:
                    file.write(b"red,1\n")
            elif change == "same size":
                path.write_bytes(CSV.replace(b"red", b"tan"))
            else:
                path.unlink()
                if change == "replace":
                    path.write_bytes(CSV)
        elif isinstance(item, NotScanned):
            reasons.append(item.reason)
    assert reasons == ["changed while it was read; scan it again"]


def test_a_folder_of_which_nothing_was_read_is_not_clean(tmp_path: Path) -> None:
    from conftest import run_piiscan

    (tmp_path / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    done = run_piiscan("scan", str(tmp_path))
    assert "Clean" not in done.stdout + done.stderr and "Nothing was read" in done.stderr


def test_what_was_read_before_a_failure_counts(tmp_path: Path) -> None:
    lines = b"note\n" + b"".join(b"see jo.brown%d@example.com and more\n" % i for i in range(12_000))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(lines)[:-9])
    (tmp_path / "t.csv").write_bytes(lines + b"\xff\xfe" + "Ärger\n".encode("utf-16-le") * 2000)
    for name in ("t.csv.gz", "t.csv"):
        report = piiscan.scan(tmp_path / name)
        assert not report.complete and report.tables[0].rows >= 11_000
        assert (
            any(i.entity == "EMAIL_ADDRESS" for c in report.columns for i in c.inside)
            or report.columns[0].entity == "EMAIL_ADDRESS"
        )
