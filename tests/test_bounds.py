"""What doesn't fit into its share of the memory is not scanned, and said to be; everything beside it is scanned."""

from __future__ import annotations

import io
import json
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import fastavro
import polars as pl
import pytest
from test_io_csv import tables

from piiscan import scan
from piiscan.core import memory, shares
from piiscan.core.types import ScanReport

MAIL = "mario.rossi@example.com"
LONG = "x" * (6 << 20)
"""Above the share of a value at the least memory."""
LONGEST = "x" * (12 << 20)
"""Above that of a row."""


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    memory.allow(memory.LEAST)
    assert shares.value() < len(LONG) < shares.row() < len(LONGEST)
    yield
    memory.allow(None)


def csv(path: Path, text: str) -> None:
    path.write_text(f"name,note,mail\na,b,{MAIL}\nc,{text},{MAIL}\nd,e,{MAIL}\n", encoding="utf-8")


def jsonl(path: Path, text: str) -> None:
    rows = [{"name": "a", "note": n, "mail": MAIL} for n in ("b", text, "c")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def jsonl_list(path: Path, text: str) -> None:
    rows = [{"name": "a", "note": n, "mail": MAIL} for n in (["b"], [text[:1000]] * (len(text) // 1000), ["c"])]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def parquet(path: Path, text: str) -> None:
    pl.DataFrame({"name": ["a", "b", "c"], "note": ["b", text, "c"], "mail": [MAIL] * 3}).write_parquet(path)


def arrow(path: Path, text: str) -> None:
    pl.DataFrame({"name": ["a", "b", "c"], "note": ["b", text, "c"], "mail": [MAIL] * 3}).write_ipc(path)


def avro(path: Path, text: str) -> None:
    fields = [{"name": name, "type": "string"} for name in ("name", "note", "mail")]
    with path.open("wb") as out:
        rows = [{"name": "a", "note": n, "mail": MAIL} for n in ("b", text, "c")]
        fastavro.writer(out, {"type": "record", "name": "a", "fields": fields}, rows, codec="null", sync_interval=1)


def sqlite(path: Path, text: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute("create table t (name, note, mail)")
        db.executemany("insert into t values (?, ?, ?)", [("a", n, MAIL) for n in ("b", text, "c")])
    db.close()


def said(report: ScanReport) -> list[tuple[str | None, str]]:
    return [(entry.column, entry.reason) for entry in report.not_scanned]


@pytest.mark.parametrize("make", [csv, jsonl, jsonl_list, parquet, arrow, avro, sqlite])
def test_the_rest_of_a_table_with_a_long_value_is_scanned(tmp_path: Path, make: Callable[[Path, str], None]) -> None:
    path = tmp_path / "t"
    make(path, LONG)
    report = scan(path).scan_report
    (table,) = report.tables
    assert table.rows == 3
    assert not table.complete
    assert [c.entity for c in table.columns if c.name == "mail"] == ["EMAIL_ADDRESS"]
    assert [c.nulls for c in table.columns] == [0, 1, 0]
    ((column, reason),) = said(report)
    assert column == "note"
    assert reason == (
        f"a value may take {shares.value() >> 20} MiB of memory, and that in row 2 takes more; the rest was read; "
        "allow more with --memory"
    )
    memory.allow(1 << 30)
    assert scan(path).scan_report.complete


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (csv, "a row may take 9 MiB of memory, and row 2 takes more; the rest was read"),
        (jsonl, "a row may take 9 MiB of memory, and row 2 takes more; the rest was read"),
        (avro, "a block may take 9 MiB of memory, and that of the records 2 to 2 takes more; the rest was read"),
    ],
)
def test_a_row_that_does_not_fit_is_left_out(tmp_path: Path, make: Callable[[Path, str], None], reason: str) -> None:
    path = tmp_path / f"t.{make.__name__}"
    make(path, LONGEST * 4)  # of delimited text, a block of 16 MiB is read at once
    report = scan(path).scan_report
    (table,) = report.tables
    assert table.rows == 2
    assert [c.entity for c in table.columns if c.name == "mail"] == ["EMAIL_ADDRESS"]
    ((column, why),) = said(report)
    assert column is None
    assert why.startswith(reason)


def test_a_column_with_a_page_that_does_not_fit_is_left_out(tmp_path: Path) -> None:
    parquet(tmp_path / "t", LONGEST)
    report = scan(tmp_path / "t").scan_report
    (table,) = report.tables
    assert table.rows == 3
    assert [c.entity for c in table.columns if c.name == "mail"] == ["EMAIL_ADDRESS"]
    ((column, why),) = said(report)
    assert column == "note"
    assert why.startswith("a page of a column may take 9 MiB of memory, and those of one column take more")


def test_rows_of_a_record_batch_that_does_not_fit_are_left_out(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema([("note", pa.string()), ("mail", pa.string())])
    with pa.OSFile(str(tmp_path / "t"), "wb") as out, pa.ipc.new_file(out, schema) as writer:
        for text in ("b", LONGEST * 8, "c"):
            writer.write_batch(pa.record_batch({"note": [text], "mail": [MAIL]}, schema))
    report = scan(tmp_path / "t").scan_report
    (table,) = report.tables
    assert table.rows == 2
    assert [c.entity for c in table.columns] == [None, "EMAIL_ADDRESS"]
    ((column, why),) = said(report)
    assert column is None
    assert why.startswith("rows 2 to 2 are in a record batch that doesn't fit into memory; the rest was read")


@pytest.mark.parametrize(
    ("kind", "name"), [("texts", "t.parquet"), ("categories", "t.parquet"), ("categories", "t.arrow")]
)
def test_a_value_that_a_small_file_has_once_and_in_all_rows(tmp_path: Path, kind: str, name: str) -> None:
    """30 GB of texts in a file of some kilobytes: batches are of a bounded size, and nothing larger is made first."""
    pa = pytest.importorskip("pyarrow")
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 5_000, pa.int32()), pa.array(["x", "y" * (3 << 20)]))
    table, path = pa.table({"note": values, "mail": [MAIL] * len(values)}), tmp_path / name
    if name == "t.arrow":
        packed = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema, options=packed) as writer:
            writer.write_table(table)
    else:
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(table, path, store_schema=kind == "categories", dictionary_pagesize_limit=1 << 30)
    assert path.stat().st_size < 200_000
    frames = [batch.frame for batch in islice(tables(path)[0].batches(), 40)]
    assert all(frame.height == 1 or frame.estimated_size() <= 2 * shares.batch() for frame in frames)
    assert sum(frame["0"].str.len_bytes().sum() for frame in frames) >= 20 * (3 << 20)


def test_columns_of_values_that_sqlite_makes_are_left_out(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "t") as db:
        db.execute("create table t (mail, b blob generated always as (zeroblob(900000000)) virtual, c)")
        db.executemany("insert into t values (?, ?)", [(MAIL, i) for i in range(40)])
    db.close()
    report = scan(tmp_path / "t").scan_report
    table = report.tables[0]
    assert table.rows == 40
    assert table.columns[0].entity == "EMAIL_ADDRESS"
    assert [c.nulls for c in table.columns] == [0, 40, 0]
    ((column, why),) = said(report)
    assert column == "b"
    assert ", as do 16 others; of a column with many such values no more was read; " in why


@pytest.mark.parametrize("text", ["[" + "[1]," * 400_000 + "[1]]", json.dumps({"a": {"b": [{"c": 1}] * 400_000}})])
def test_a_json_document_of_too_many_values_is_not_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.json").write_text(text, encoding="utf-8")
    ((_, why),) = said(scan(tmp_path / "t.json").scan_report)
    assert why.startswith("a JSON document of too many values to hold")


def test_a_workbook_whose_cells_share_a_long_text_is_not_read(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    data = io.BytesIO()
    with xlsxwriter.Workbook(data) as book:
        sheet = book.add_worksheet("a")
        for row in range(4000):
            sheet.write(row, 0, LONG[:32_000])
    (tmp_path / "t.xlsx").write_bytes(data.getvalue())
    assert (tmp_path / "t.xlsx").stat().st_size < 200_000
    ((_, why),) = said(scan(tmp_path / "t.xlsx").scan_report)
    assert why.startswith("a workbook that takes about 3")
    assert "MiB of memory, and 64 are there for it; allow more with --memory" in why


def test_other_members_of_an_archive_are_scanned(tmp_path: Path) -> None:
    csv(tmp_path / "long.csv", LONG)
    with zipfile.ZipFile(tmp_path / "t.zip", "w", zipfile.ZIP_DEFLATED) as out:
        out.write(tmp_path / "long.csv", "long.csv")
        out.writestr("short.csv", f"name,mail\na,{MAIL}\nb,{MAIL}\n")
    report = scan(tmp_path / "t.zip").scan_report
    assert [(t.rows, t.complete) for t in report.tables] == [(3, False), (2, True)]
    assert [entry.source.rpartition("!")[2] for entry in report.not_scanned] == ["long.csv"]


@pytest.mark.parametrize("size", [memory.LEAST, 1 << 30])
def test_batches_do_not_change_what_is_said(tmp_path: Path, size: int) -> None:
    rows = "".join(f"{i},{'word ' * (i % 50)}{MAIL}\n" for i in range(20_000))
    (tmp_path / "t.csv").write_text("id,note\n" + rows, encoding="utf-8")
    pl.read_csv(tmp_path / "t.csv").write_parquet(tmp_path / "t.parquet")
    memory.allow(1 << 31)
    whole = [scan(tmp_path / name).scan_report.tables for name in ("t.csv", "t.parquet")]
    memory.allow(size)
    assert [scan(tmp_path / name).scan_report.tables for name in ("t.csv", "t.parquet")] == whole


def test_names_in_a_tar_archive_that_do_not_fit_are_not_read(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "t.tar", "w", format=tarfile.PAX_FORMAT) as out:
        for name, headers in (("a.csv", {}), ("b.csv", {"comment": LONG})):
            entry = tarfile.TarInfo(name)
            data = f"name,mail\na,{MAIL}\nb,{MAIL}\n".encode()
            entry.size, entry.pax_headers = len(data), headers
            out.addfile(entry, io.BytesIO(data))
    report = scan(tmp_path / "t.tar").scan_report
    assert [t.source.rpartition("!")[2] for t in report.tables] == ["a.csv"]
    assert any(why.startswith("a header that doesn't fit into memory") for _, why in said(report))


def test_a_directory_of_a_zip_archive_that_does_not_fit_is_not_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as out:
        for i in range(200):
            entry = zipfile.ZipInfo(f"{i}.csv")
            entry.comment = b"x" * 60_000
            out.writestr(entry, f"name,mail\na,{MAIL}\n")
    ((_, why),) = said(scan(tmp_path / "t.zip").scan_report)
    assert why.startswith("a directory that doesn't fit into memory")


@pytest.mark.slow
def test_very_wide_tables_keep_fewer_values(tmp_path: Path) -> None:
    rows = [",".join(f"{'abcdefgh'[row % 8]}{row}x{column}" for column in range(1500)) for row in range(400)]
    (tmp_path / "t.csv").write_text(",".join(f"c{i}" for i in range(1500)) + "\n" + "\n".join(rows), encoding="utf-8")
    (table,) = scan(tmp_path / "t.csv").tables
    assert {(c.distinct_exact, 250 < c.distinct < 600) for c in table.columns} == {(False, True)}
