"""Every format gives its tables, columns, types and cells; also packed, and under a wrong ending."""

from __future__ import annotations

import bz2
import datetime
import gzip
import io
import json
import lzma
import sqlite3
import sys
import tarfile
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from test_io_csv import cells, found, names, tables

from piiscan.core.types import NotScanned, Skipped
from piiscan.io.inputs import discover
from piiscan.io.read_options import Limits, ReadOptions

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FRAME = pl.DataFrame(
    {
        "name": ["Ann", None, "Bob"],
        "card": [4111111111111111, None, 7],
        "share": [0.5, None, 2.0],
        "is_member": [True, None, False],
        "born": [datetime.date(1980, 2, 3), None, datetime.date(1990, 1, 1)],
    }
)
TYPES = [("name", "string"), ("card", "integer"), ("share", "float"), ("is_member", "boolean"), ("born", "date")]
TEXT = [
    ["Ann", "4111111111111111", "0.5", "True", "1980-02-03"],
    ["", "", "", "", ""],
    ["Bob", "7", "2.0", "False", "1990-01-01"],
]


def parquet() -> bytes:
    stream = io.BytesIO()
    FRAME.write_parquet(stream)
    return stream.getvalue()


def arrow() -> bytes:
    stream = io.BytesIO()
    FRAME.write_ipc(stream)
    return stream.getvalue()


def arrow_stream() -> bytes:
    stream = io.BytesIO()
    FRAME.write_ipc_stream(stream)
    return stream.getvalue()


def avro() -> bytes:
    stream = io.BytesIO()
    FRAME.write_avro(stream)
    return stream.getvalue()


def workbook() -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    first = book.active
    first.title = "people"
    for row in (["name", "card"], ["Ann", 4111111111111111], ["Bob", None]):
        first.append(row)
    hidden = book.create_sheet("secret")
    hidden.sheet_state = "hidden"
    for row in (
        ["List of members"],
        [],
        ["name", "e-mail", "age"],
        ["Ann", "ann@example.org", 41],
        ["Bob", "bob@example.org", 7],
    ):
        hidden.append(row)
    book.create_sheet("nothing")
    last = book.create_sheet("no header")
    last.append(["Ann", "ann@example.org", 41.5])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def shape(data: list[Any]) -> list[tuple[str | None, list[tuple[str | None, str]], list[list[str]]]]:
    return [(t.info.table, [(f.name, f.dtype) for f in t.info.fields], cells(t)) for t in data]


@pytest.mark.parametrize("make", [parquet, arrow, arrow_stream])
@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.xlsx", "t"])
@pytest.mark.parametrize("batch_rows", [1, 1000])
def test_columnar_files_under_any_ending(tmp_path: Path, make: Callable[[], bytes], name: str, batch_rows: int) -> None:
    path = tmp_path / name
    path.write_bytes(make())
    if make is arrow_stream and name == "t.parquet":
        return
    assert shape(tables(path, ReadOptions(batch_rows=batch_rows))) == [(None, TYPES, TEXT)]


def test_avro(tmp_path: Path) -> None:
    path = tmp_path / "t.avro"
    path.write_bytes(avro())
    ((_, types, text),) = shape(tables(path))
    assert [name for name, _ in types] == [name for name, _ in TYPES]
    assert types[:4] == TYPES[:4]
    assert [row[:4] for row in text] == [row[:4] for row in TEXT]


def test_nested_and_odd_types_of_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame(
        {
            "who": [{"name": "Ann", "at": {"city": "Ulm"}}, None],
            "mails": [["a@example.org", "b@example.org"], []],
            "pets": [[{"kind": "cat"}], None],
            "raw": [b"ann@example.org", "Zo\u00eb ann@example.org".encode("cp1252")],
            "amount": [Decimal("1.50"), None],
            "long": pl.Series([2**70, None], dtype=pl.Int128),
            "level": pl.Series(["low", None], dtype=pl.Categorical),
            "nothing": [None, None],
            "at": [datetime.time(1, 2), None],
            "seen": [datetime.datetime(2020, 1, 2, 3, 4), None],
        }
    ).write_parquet(path)
    ((_, types, text),) = shape(tables(path))
    assert types == [
        ("who.name", "string"),
        ("who.at.city", "string"),
        ("mails", "other"),
        ("pets", "other"),
        ("raw", "string"),
        ("amount", "float"),
        ("long", "integer"),
        ("level", "string"),
        ("nothing", "string"),
        ("at", "other"),
        ("seen", "datetime"),
        ("pets[].kind", "other"),
    ]
    first = [
        "Ann",
        "Ulm",
        "a@example.org\nb@example.org",
        "",
        "ann@example.org",
        "1.50",
        str(2**70),
        "low",
        "",
        "01:02:00",
    ]
    assert text[0][:9] == first[:9]
    assert text[0][9].startswith("01:02:00")
    assert text[0][10:] == ["2020-01-02 03:04:00", "cat"]
    assert {cell for cell in text[1] if cell} == {"Zo\u00eb ann@example.org"}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ([{"a": 1, "b": "x"}, {"b": None, "c": True}], [(None, ["a", "b", "c"], [["1", "x", ""], ["", "", "True"]])]),
        (
            [{"a": {"b": {"c": 1}, "d": "x"}}, {"a": {"b": {"c": 2}}}],
            [(None, ["a.b.c", "a.d"], [["1", "x"], ["2", ""]])],
        ),
        ({"meta": {"n": 2}, "people": [{"a": "x"}]}, [(None, ["meta.n"], [["2"]]), ("people", ["a"], [["x"]])]),
        (
            {"data": {"people": [{"a": "x"}], "pets": [{"b": "y"}]}},
            [("data.people", ["a"], [["x"]]), ("data.pets", ["b"], [["y"]])],
        ),
        (
            {"u1": {"a": "x", "b": 1}, "u2": {"a": "y", "b": 2}},
            [(None, ["a", "b", "(key)"], [["x", "1", "u1"], ["y", "2", "u2"]])],
        ),
        (
            {"ann@example.org": "x", "bob@example.org": "y"},
            [(None, [None, "(key)"], [["x", "ann@example.org"], ["y", "bob@example.org"]])],
        ),
        (["ann@example.org", "b"], [(None, [None], [["ann@example.org"], ["b"]])]),
        ([["name", "age"], ["Ann", 41], ["Bob", 7]], [(None, ["name", "age"], [["Ann", "41"], ["Bob", "7"]])]),
        ([["Ann", 41], ["Bob", 7]], [(None, [None, None], [["Ann", "41"], ["Bob", "7"]])]),
        ([{"tags": ["a@example.org", "b"]}, {"tags": []}], [(None, ["tags"], [["a@example.org\nb"], [""]])]),
        ([{"n": 4111111111111111}, {"n": 0.5}], [(None, ["n"], [["4111111111111111"], ["0.5"]])]),
        ([{"n": 4111111111111111}, {"n": None}], [(None, ["n"], [["4111111111111111"], [""]])]),
        ([{"n": 10**30}, {"n": "x"}], [(None, ["n"], [[str(10**30)], ["x"]])]),
        (
            [{"by": {"ann@example.org": 1, "bob@example.org": 2}}],
            [(None, ["by", "by[].(key)", "by[].(value)"], [["", "ann@example.org\nbob@example.org", "1\n2"]])],
        ),
        ({"name": "Ann", "age": 41}, [(None, ["name", "age"], [["Ann", "41"]])]),
        ("Ann", [(None, ["text"], [['"Ann"']])]),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_documents(tmp_path: Path, document: Any, expected: list[Any], indent: int | None) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document, indent=indent), "utf-8")
    data = tables(path)
    assert [(t.info.table, names(t), cells(t)) for t in data] == expected


@pytest.mark.parametrize(
    "text",
    ['{\n// who\n"a": "ann@example.org"\n}\n', '{"a": ["ann@example.org",],\n}\n', "[1, /* ann@example.org */ 2]\n"],
)
def test_settings_with_comments_are_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(text, "utf-8")
    (table,) = tables(path)
    assert (table.info.format, cells(table)) == ("text", [[line] for line in text.splitlines()])


def test_repeated_keys_lose_no_value(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('[{"a": "ann@example.org", "a": "b"}]', "utf-8")
    assert cells(tables(path)[0]) == [["ann@example.org\nb"]]


def test_objects_with_very_many_keys_do_not_become_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"lock": {f"package{chr(97 + i % 26)}{i}": {f"k{i}": "x"} for i in range(60)}}), "utf-8")
    (table,) = tables(path)
    assert (table.info.table, len(cells(table))) == ("lock", 60)
    path.write_text(json.dumps([{"id": 1, "by": {"x" * (i + 1): "ann@example.org" for i in range(600)}}]), "utf-8")
    (table,) = tables(path)
    assert names(table) == ["id", "by", "by[].(key)", "by[].(value)"]


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.json", "t.csv", "t"])
@pytest.mark.parametrize("batch_rows", [1, 2, 1000])
def test_json_lines(tmp_path: Path, name: str, batch_rows: int) -> None:
    path = tmp_path / name
    path.write_text('{"a": 1}\n\n{"a": null, "b": {"c": "x"}}\n{"a": 3, "late": "ann@example.org"}\nno json\n', "utf-8")
    (table,) = tables(path, ReadOptions(batch_rows=batch_rows))
    assert table.info.format == "jsonl"
    assert names(table) == ["a", "b.c", "late", None]
    assert cells(table) == [
        ["1", "", "", ""],
        ["", "x", "", ""],
        ["3", "", "ann@example.org", ""],
        ["", "", "", "no json"],
    ]


def test_workbook_with_every_sheet(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(workbook())
    assert [(t.info.table, names(t), cells(t)) for t in tables(path)] == [
        ("people", ["name", "card"], [["Ann", "4111111111111111"], ["Bob", ""]]),
        ("secret", ["name", "e-mail", "age"], [["Ann", "ann@example.org", "41"], ["Bob", "bob@example.org", "7"]]),
        ("secret (preamble)", ["text"], [["List of members"], [""]]),
        ("no header", [None] * 3, [["Ann", "ann@example.org", "41.5"]]),
    ]


def test_old_and_open_workbooks(tmp_path: Path) -> None:
    xlwt = pytest.importorskip("xlwt")
    book = xlwt.Workbook()
    sheet = book.add_sheet("people")
    for i, row in enumerate((["name", "card"], ["Ann", 4111111111111111])):
        for j, value in enumerate(row):
            sheet.write(i, j, value)
    book.save(str(tmp_path / "t.xls"))
    (table,) = tables(tmp_path / "t.xls")
    assert (names(table), cells(table)) == (["name", "card"], [["Ann", "4111111111111111"]])


def sqlite_file(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute('CREATE TABLE "odd ""name" (id INTEGER, name TEXT, mixed, raw BLOB, share REAL)')
        connection.executemany(
            'INSERT INTO "odd ""name" VALUES (?, ?, ?, ?, ?)',
            [
                (1, "Ann", "x", b"ann@example.org", 0.5),
                (None, None, 2, b"\xff\xfe", None),
                (4111111111111111, "Bob", 2.5, None, 1.5),
            ],
        )
        connection.execute("CREATE TABLE keyed (id TEXT PRIMARY KEY) WITHOUT ROWID")
        connection.execute("INSERT INTO keyed VALUES ('a')")
        connection.execute("CREATE TABLE empty (id INTEGER, name TEXT)")
        connection.execute("CREATE VIEW seen AS SELECT name FROM keyed")
    connection.close()


@pytest.mark.parametrize("batch_rows", [1, 1000])
def test_sqlite(tmp_path: Path, batch_rows: int) -> None:
    path = tmp_path / "any.ending"
    sqlite_file(path)
    before = sorted(tmp_path.iterdir())
    expected = [
        (
            'odd "name',
            [("id", "integer"), ("name", "string"), ("mixed", "string"), ("raw", "string"), ("share", "float")],
            [
                ["1", "Ann", "x", "ann@example.org", "0.5"],
                ["", "", "2", "ÿþ", ""],
                ["4111111111111111", "Bob", "2.5", "", "1.5"],
            ],
        ),
        ("keyed", [("id", "string")], [["a"]]),
        ("empty", [("id", "string"), ("name", "string")], []),
    ]
    assert shape(tables(path, ReadOptions(batch_rows=batch_rows))) == expected
    assert sorted(tmp_path.iterdir()) == before
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.write(path, "inner.db")
    assert shape(tables(tmp_path / "t.zip", ReadOptions(batch_rows=batch_rows))) == expected


def test_sqlite_with_a_log_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t (name TEXT)")
    connection.execute("INSERT INTO t VALUES ('Ann')")
    connection.commit()
    try:
        assert cells(tables(path)[0]) == [["Ann"]]
    finally:
        connection.close()


def test_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE people (id BIGINT, who STRUCT(name VARCHAR), mails VARCHAR[], born DATE, huge HUGEINT)"
        )
        connection.execute(
            "INSERT INTO people VALUES (4111111111111111, {'name': 'Ann'}, ['a@example.org', 'b'], '1980-02-03', 1)"
        )
        connection.execute("CREATE SCHEMA other; CREATE TABLE other.empty (id INTEGER)")
    assert shape(tables(path)) == [
        (
            "people",
            [("id", "integer"), ("who.name", "string"), ("mails", "other"), ("born", "date"), ("huge", "integer")],
            [["4111111111111111", "Ann", "a@example.org\nb", "1980-02-03", "1"]],
        ),
        ("other.empty", [("id", "integer")], []),
    ]


def test_databases_within_archives(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT 'Ann' AS name, INTERVAL 1 DAY AS kept, MAP {'mail': "
            "'ann@example.org'} AS more"
        )
    sqlite_file(tmp_path / "b.db")
    with sqlite3.connect(tmp_path / "b.db") as log:
        log.execute("PRAGMA journal_mode=WAL")
    log.close()
    for name in ("a.duckdb", "b.db"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
        packed, plain = tables(tmp_path / f"{name}.gz"), tables(tmp_path / name)
        assert shape(packed) == shape(plain)
        del packed, plain
    assert shape(tables(tmp_path / "a.duckdb")) == [
        (
            "people",
            [("name", "string"), ("kept", "other"), ("more", "string"), ("more.mail", "string")],
            [["Ann", "1 day", "", "ann@example.org"]],
        )
    ]


@pytest.mark.parametrize("batch_rows", [1, 1000])
def test_what_polars_refuses_of_parquet_duckdb_reads(tmp_path: Path, batch_rows: int) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as writer

    pytest.importorskip("duckdb")
    mails = [f"ann{i}@example.org" for i in range(300)]
    twice = pyarrow.table([mails, ["x"] * 300], names=["mail", "mail"])
    wide = pyarrow.table({"amount": pyarrow.array([Decimal(1)] * 300, pyarrow.decimal256(50, 3)), "mail": mails})
    for made, columns, at in ((twice, ["mail", "mail_1"], 0), (wide, ["amount", "mail"], 1)):
        writer.write_table(made, tmp_path / "it's.parquet")
        (tmp_path / "t.gz").write_bytes(gzip.compress((tmp_path / "it's.parquet").read_bytes()))
        for path in (tmp_path / "it's.parquet", tmp_path / "t.gz"):
            (table,) = tables(path, ReadOptions(batch_rows=batch_rows))
            assert (table.info.format, names(table)) == ("parquet", columns)
            assert [row[at] for row in cells(table)] == mails


@pytest.mark.parametrize("make", [parquet, arrow, arrow_stream])
@pytest.mark.parametrize("piece", [1, 40, 100])
@pytest.mark.parametrize("rows", [None, 2])
def test_cells_survive_any_cut_into_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[], bytes], piece: int, rows: int | None
) -> None:
    monkeypatch.setattr("piiscan.core.shares.piece", lambda: piece)
    monkeypatch.setattr("piiscan.core.shares.batch", lambda: piece)
    path = tmp_path / "t"
    path.write_bytes(make())
    assert shape(tables(path, ReadOptions(rows=rows))) == [(None, TYPES, TEXT[:rows])]


@pytest.mark.parametrize(
    "make", [parquet, arrow, arrow_stream, avro, lambda: "".join(f'{{"a": "{i:05}"}}\n' for i in range(9)).encode()]
)
def test_batches_of_long_cells_have_few_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[], bytes]
) -> None:
    path = tmp_path / "t"
    path.write_bytes(make())
    (table,) = tables(path)
    (whole,) = [batch.frame for batch in table.batches()]
    monkeypatch.setattr("piiscan.core.shares.batch", lambda: 1 + whole.estimated_size() // 8)
    (table,) = tables(path)
    assert len(list(table.batches())) >= 3


def test_duckdb_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.duckdb"
    path.write_bytes(b"\0" * 8 + b"DUCK" + b"\0" * 100)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert found(path) == [
        NotScanned(path.as_posix(), "DuckDB files need an optional package: pip install 'piiscan-toolkit[duckdb]'")
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "t.log",
            "2020-01-01 12:00:00,123 INFO a, b\n2020-01-01 12:00:01,456 INFO c, d\n2020-01-01 12:00:02,789 WARN e, f\n",
        ),
        ("t.txt", "Dear Ann,\n\nthank you, and until soon.\n"),
        ("t.md", "a,b\nc,d\ne,f\ng,h\n"),
        ("t.ini", "just some\nwords of text\n"),
        ("t", "[2020-01-01] started\n[2020-01-02] ended\n"),
        ("t.conf", "{ not json\n"),
    ],
)
def test_text_is_lines(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    (table,) = tables(path)
    assert (table.info.format, names(table), table.info.header) == ("text", ["text"], False)
    assert cells(table) == [[line] for line in text.split("\n")[:-1]]


@pytest.mark.parametrize("name", ["t.txt", "t", "t.dat"])
def test_a_table_under_no_meaningful_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("name;age;city\nAnn;41;Ulm\nBob;7;Bonn\nCy;8;Ulm\n", "utf-8")
    (table,) = tables(path)
    assert (table.info.format, names(table)) == ("csv", ["name", "age", "city"])


def test_a_line_of_any_length_comes_in_pieces_of_one_row(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("first\n" + "x" * 5000 + " ann@example.org " + "y" * 5000 + "\nlast", "utf-8")
    (table,) = tables(path, ReadOptions(limits=Limits(line_chars=1000)))
    pieces = [
        ((batch.offset or 0) + i, cell) for batch in table.batches() for i, (cell,) in enumerate(batch.frame.rows())
    ]
    assert [row for row, _ in pieces] == [0, *[1] * (len(pieces) - 2), 2]
    assert max(len(cell) for _, cell in pieces) == 1000
    assert any("ann@example.org" in cell for _, cell in pieces)


def test_a_text_of_one_line_of_200_megabytes_in_bounded_memory(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "t.json"
    with path.open("w") as stream:
        for _ in range(50):
            stream.write("lorem ipsum dolor sit amet, " * 150_000)
    (table,) = tables(path)
    tracemalloc.start()
    try:
        size = sum(len(cell) for batch in table.batches() for (cell,) in batch.frame.rows())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size >= 200_000_000
    assert peak < 30_000_000


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize(
    "make", [parquet, arrow, avro, workbook, lambda: b"name,age\nAnn,41\nBob,7\n", lambda: b'{"a": 1}\n{"a": 2}\n']
)
def test_any_format_within_any_compression(tmp_path: Path, packing: str, make: Callable[[], bytes]) -> None:
    plain, packed = tmp_path / "t.csv", tmp_path / f"t.csv.{packing}"
    plain.write_bytes(make())
    packed.write_bytes(PACK[packing](plain.read_bytes()))
    assert shape(tables(packed)) == shape(tables(plain))
    assert {t.info.source for t in tables(packed)} == {packed.as_posix()}


def tar(members: dict[str, bytes], mode: Any = "w") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


MEMBERS = {"b.csv": b"name,age\nAnn,41\nBob,7\n", "a/t.json": b'[{"a": 1}]', "c.png": b"\x89PNG\r\n"}


@pytest.mark.parametrize(
    "pack",
    [
        zipped,
        tar,
        lambda members: tar(members, "w:gz"),
        lambda members: tar(members, "w:bz2"),
        lambda members: tar(members, "w:xz"),
        lambda members: zstd.compress(tar(members)),
    ],
)
def test_archives_in_their_order(tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes]) -> None:
    path = tmp_path / "t.bin"
    path.write_bytes(pack(MEMBERS))
    csv_table, json_table, picture = found(path)
    assert not isinstance(csv_table, NotScanned | Skipped)
    assert not isinstance(json_table, NotScanned | Skipped)
    assert csv_table.info.source == f"{path.as_posix()}!b.csv"
    assert cells(csv_table) == [["Ann", "41"], ["Bob", "7"]]
    assert (json_table.info.source, cells(json_table)) == (f"{path.as_posix()}!a/t.json", [["1"]])
    assert picture == Skipped(f"{path.as_posix()}!c.png", "picture")


def test_archives_within_archives(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(zipped({"in.tar.gz": gzip.compress(tar({"deep.csv.gz": gzip.compress(MEMBERS["b.csv"])}))}))
    (table,) = tables(path, ReadOptions(limits=Limits(archive_depth=5)))
    assert table.info.source == f"{path.as_posix()}!in.tar.gz!deep.csv.gz"
    assert cells(table) == [["Ann", "41"], ["Bob", "7"]]


@pytest.mark.parametrize(
    "make", [parquet, workbook, lambda: b"name,age\nAnn,41\nBob,7\n", lambda: gzip.compress(MEMBERS["b.csv"])]
)
def test_standard_input(tmp_path: Path, make: Callable[[], bytes]) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(make())
    piped = list(discover(["-"], ReadOptions(), io.BytesIO(make())))
    assert {t.info.source for t in piped} == {"-"}  # type: ignore[union-attr]
    assert shape(piped) == shape(tables(path))
