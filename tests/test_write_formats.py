"""Binary formats written again: same values, types and packing; nothing of what was there before."""

from __future__ import annotations

import datetime
import sqlite3
import uuid
from decimal import Decimal
from pathlib import Path

import fastavro
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from test_io_csv import cells, names, tables
from test_io_formats import arrow, arrow_stream, avro, parquet
from test_write import Each, again, shout

from piiscan.core.errors import TableRefusal, WriteError
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.rewrite import rewrite

FRAME = pl.DataFrame(
    {
        "name": ["Ann", None, "Bob", "Cy"],
        "small": pl.Series([1, None, 3, 4], dtype=pl.Int16),
        "big": pl.Series([1 << 62, None, -5, 0]),
        "real": pl.Series([0.1, None, 2.5, 1e300]),
        "flag": [True, None, False, True],
        "born": [datetime.date(1980, 2, 3), None, datetime.date(1990, 1, 1), datetime.date(2000, 12, 31)],
        "at": pl.Series([datetime.datetime(2020, 1, 2, 3, 4, 5, 678000)] * 4, dtype=pl.Datetime("ms", "UTC")),
        "time": [datetime.time(1, 2, 3), None, datetime.time(4), datetime.time(5)],
        "pay": pl.Series([Decimal("1.50"), None, Decimal("2.75"), Decimal("3.00")], dtype=pl.Decimal(10, 2)),
        "kind": pl.Series(["a", None, "b", "a"], dtype=pl.Categorical),
        "raw": pl.Series([b"\xff\x00", None, b"text", b""], dtype=pl.Binary),
        "tags": [["x", "y"], None, [], ["z", None]],
        "numbers": pl.Series([[1, 2], None, [3], []], dtype=pl.List(pl.Int32)),
        "home": [
            {"city": "Ulm", "geo": {"lat": 1.5, "lon": 2.5}},
            None,
            {"city": None, "geo": None},
            {"city": "Bonn", "geo": {"lat": 0.0, "lon": 0.0}},
        ],
        "events": [[{"a": 1, "b": "x"}], None, [], [{"a": 2, "b": "y"}, {"a": 3, "b": None}]],
    }
)


def stored(path: Path, kind: str) -> None:
    if kind == "parquet":
        FRAME.write_parquet(path, compression="gzip", row_group_size=2, metadata={"owner": "team", "pandas": "{}"})
    elif kind == "arrow":
        FRAME.write_ipc(path, compression="zstd")
    else:
        FRAME.write_ipc_stream(path, compression="lz4")


def loaded(path: Path, kind: str) -> pl.DataFrame:
    read = {"parquet": pl.read_parquet, "arrow": pl.read_ipc, "stream": pl.read_ipc_stream}
    return read[kind](path.read_bytes())  # type: ignore[operator, no-any-return]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_columnar_files_keep_schema_and_values(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t.bin"
    stored(path, kind)
    plain = [i for i, f in enumerate(tables(path)[0].info.fields) if f.name not in ("events",)]
    assert_frame_equal(loaded(again(path, at=plain), kind), FRAME)
    done = loaded(again(path, shout, at=plain), kind)
    wanted = FRAME.with_columns(
        pl.col("name").str.to_uppercase(),
        pl.col("kind").cast(pl.String).str.to_uppercase().cast(pl.Categorical),
        pl.col("tags").list.eval(pl.element().str.to_uppercase()),
        pl.Series("raw", [b"\xff\x00".decode("latin-1").upper().encode(), None, b"TEXT", b""]),
        pl.Series(
            "home",
            [h and {**h, "city": h["city"] and h["city"].upper()} for h in FRAME["home"].to_list()],
            dtype=FRAME["home"].dtype,
        ),
        pl.Series(
            "events", [e and [_shouted(x) for x in e] for e in FRAME["events"].to_list()], dtype=FRAME["events"].dtype
        ),
    )
    assert_frame_equal(done, wanted)


def _shouted(event: dict[str, object]) -> dict[str, object]:
    return {key: value.upper() if isinstance(value, str) else value for key, value in event.items()}


def test_columns_and_rows_left_out_of_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    stored(path, "parquet")
    found = [f.name for f in tables(path)[0].info.fields]
    gone = [i for i, name in enumerate(found) if name in ("name", "home.city", "tags")]
    done = pl.read_parquet(again(path, at=[found.index("small")], dropped=gone, keep=lambda row: row != 1))
    wanted = (
        FRAME.drop("name", "tags")
        .with_columns(pl.col("home").struct.rename_fields(["city", "geo"]))
        .filter(pl.Series([True, False, True, True]))
    )
    wanted = wanted.with_columns(
        pl.Series(
            "home",
            [{"geo": h["geo"]} for h in wanted["home"].to_list()],
            dtype=pl.Struct({"geo": wanted["home"].struct["geo"].dtype}),
        )
    )
    assert_frame_equal(done, wanted)


def test_parquet_keeps_its_packing(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    for codec in ("gzip", "snappy", "zstd", "brotli", "uncompressed"):
        FRAME.write_parquet(path, compression=codec, row_group_size=3, metadata={"owner": "team", "pandas": "{}"})  # type: ignore[arg-type]
        meta = pq.read_metadata(again(path, shout, at=[0]))
        assert meta.row_group(0).column(0).compression == codec.upper()
        assert [meta.row_group(i).num_rows for i in range(meta.num_row_groups)] == [3, 1]
        assert not {b"owner", b"pandas"} & meta.metadata.keys()  # nobody has looked at them


def test_values_that_do_not_fit_their_column_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    stored(path, "parquet")

    class Big(Each):
        def apply(self, batch):  # type: ignore[no-untyped-def]
            changed = super().apply(batch)
            return changed._replace(frame=pl.DataFrame({"1": [987654] * batch.frame.height}))

    out = tmp_path / "out.parquet"
    with pytest.raises(WriteError, match="column 1: new values don't fit its type, Int16") as error:
        rewrite(path, out, ReadOptions(), lambda info: Big(info, shout, [1]))
    assert "987654" not in str(error.value)
    assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]


def test_a_column_may_become_another_type(tmp_path: Path) -> None:
    class Text(Each):
        @property
        def columns(self):  # type: ignore[no-untyped-def]
            return tuple(c if c.same else c._replace(field=c.field._replace(dtype="string")) for c in super().columns)

        def apply(self, batch):  # type: ignore[no-untyped-def]
            return super().apply(batch)._replace(frame=pl.DataFrame({"1": ["*"] * batch.frame.height}))

    for name, data in (("t.parquet", parquet()), ("t.arrow", arrow()), ("s.arrow", arrow_stream()), ("t.avro", avro())):
        path, out = tmp_path / name, tmp_path / f"out-{name}"
        path.write_bytes(data)
        assert not rewrite(path, out, ReadOptions(), lambda info: Text(info, shout, [1])).left_out
        (table,) = tables(out)
        assert (table.info.fields[1].dtype, [row[1] for row in cells(table)]) == ("string", ["*"] * 3)


def test_many_pieces(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    frame = pl.DataFrame({"n": range(300_000), "t": [f"x{i}" for i in range(300_000)]})
    frame.write_parquet(path, row_group_size=50_000)
    assert_frame_equal(pl.read_parquet(again(path, shout, at=[1])), frame.with_columns(pl.col("t").str.to_uppercase()))


AVRO = {
    "type": "record",
    "name": "person",
    "doc": "made up",
    "fields": [
        {"name": "name", "type": ["null", "string"], "default": None},
        {"name": "age", "type": "int"},
        {"name": "born", "type": {"type": "int", "logicalType": "date"}},
        {
            "name": "home",
            "type": {
                "type": "record",
                "name": "place",
                "fields": [{"name": "city", "type": "string"}, {"name": "zip", "type": "string"}],
            },
        },
        {"name": "tags", "type": {"type": "array", "items": "string"}},
    ],
}
PEOPLE = [
    {
        "name": "Ann",
        "age": 41,
        "born": datetime.date(1980, 2, 3),
        "home": {"city": "Ulm", "zip": "00501"},
        "tags": ["x"],
    },
    {"name": None, "age": 7, "born": datetime.date(1990, 2, 3), "home": {"city": "Bonn", "zip": "1"}, "tags": []},
]


def test_avro(tmp_path: Path) -> None:
    path = tmp_path / "t.avro"
    with path.open("wb") as file:
        fastavro.writer(file, AVRO, PEOPLE, codec="deflate", metadata={"owner": "team"})
    with again(path, shout).open("rb") as file:
        reader = fastavro.reader(file)
        home = {"city": "ULM", "zip": "00501"}
        assert list(reader) == [
            {**PEOPLE[0], "name": "ANN", "home": home, "tags": ["X"]},
            {**PEOPLE[1], "home": {"city": "BONN", "zip": "1"}},
        ]
        assert (reader.codec, "owner" in reader.metadata) == ("deflate", False)  # nobody has looked at it
    with again(path, dropped=[0, 3], keep=lambda row: row == 0).open("rb") as file:
        assert list(fastavro.reader(file)) == [
            {"age": 41, "born": datetime.date(1980, 2, 3), "home": {"zip": "00501"}, "tags": ["x"]}
        ]


AVRO_TYPES = {  # type → a value, and what the field takes when its cells change
    "string": ("Ann", ["null", "string"]),
    "int": (7, ["null", "long"]),
    "boolean": (True, ["null", "boolean"]),
    "date": (datetime.date(2020, 1, 2), ["null", {"type": "int", "logicalType": "date"}]),
    "enum": ("A", ["null", "string"]),
    "fixed": (b"0001", ["null", "bytes"]),
    "uuid": (uuid.UUID(int=1 << 100), ["null", "string"]),
    "union": ("Ann", ["string", "null"]),
}
AVRO_SCHEMAS = {
    "date": {"type": "int", "logicalType": "date"},
    "enum": {"type": "enum", "name": "E", "symbols": ["A", "B"]},
    "fixed": {"type": "fixed", "name": "F", "size": 4},
    "uuid": {"type": "string", "logicalType": "uuid"},
    "union": ["string", "null"],
}


@pytest.mark.parametrize("kind", AVRO_TYPES)
def test_avro_takes_empty_masks_where_it_allowed_no_null(tmp_path: Path, kind: str) -> None:
    path, (value, takes) = tmp_path / "t.avro", AVRO_TYPES[kind]
    field = {"name": "cell", "type": AVRO_SCHEMAS.get(kind, kind)}
    with path.open("wb") as file:
        fastavro.writer(
            file,
            fastavro.parse_schema({"type": "record", "name": "t", "fields": [{"name": "id", "type": "long"}, field]}),
            [{"id": n, "cell": value} for n in range(3)],
        )
    with again(path, lambda cell: None, at=[1]).open("rb") as file:
        reader = fastavro.reader(file)
        assert reader.writer_schema is not None
        assert reader.writer_schema["fields"][1]["type"] == takes
        assert list(reader) == [{"id": n, "cell": None} for n in range(3)]


SCHEMA = """
CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT UNIQUE, age, photo BLOB,
    half REAL GENERATED ALWAYS AS (age / 2.0) VIRTUAL);
CREATE TABLE pairs (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE plain (rowid TEXT, note TEXT);
CREATE TABLE other (x);
CREATE TABLE log (text);
CREATE INDEX by_email ON people (email, age);
CREATE VIEW adults AS SELECT * FROM people WHERE age > 17;
CREATE TRIGGER told AFTER INSERT ON people BEGIN INSERT INTO log VALUES (new.email); END;
PRAGMA user_version = 7;
"""


def database(path: Path) -> None:
    base = sqlite3.connect(path)
    base.executescript(SCHEMA)
    people = [
        (3, "needle-a@example.org", 41, b"\xff\0"),
        (1, "needle-b@example.org", "old", b"text"),
        (9, None, 1.5, None),
    ]
    base.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", people)
    base.execute("INSERT INTO people VALUES (20, 'needle-deleted@example.org', 1, NULL)")
    base.execute("DELETE FROM people WHERE id = 20")
    base.execute("DELETE FROM log")
    base.executemany("INSERT INTO pairs VALUES (?, ?)", [("b", "needle"), ("a", "x")])
    base.execute("INSERT INTO plain VALUES ('r', 'needle')")
    base.execute("INSERT INTO other VALUES ('kept')")
    base.execute("ANALYZE")
    base.commit()
    base.close()


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    database(path)
    out = tmp_path / "o.db"
    result = rewrite(
        path,
        out,
        ReadOptions(),
        lambda info: (
            None
            if info.table in ("other", "log")
            else Each(info, lambda c: c.replace("needle", "***") if isinstance(c, str) else c)
        ),
    )
    assert not result.left_out
    assert b"needle" in path.read_bytes()
    assert b"needle" not in out.read_bytes()
    base = sqlite3.connect(out)
    assert base.execute("SELECT id, email, age, photo, half FROM people ORDER BY id").fetchall() == [
        (1, "***-b@example.org", "old", b"text", 0.0),
        (3, "***-a@example.org", 41, b"\xff\0", 20.5),
        (9, None, 1.5, None, 0.75),
    ]
    assert base.execute("SELECT * FROM pairs").fetchall() == [("a", "x"), ("b", "***")]
    assert base.execute("SELECT oid, * FROM plain").fetchall() == [(1, "r", "***")]
    assert base.execute("SELECT count(*) FROM log").fetchone() == (0,)  # the trigger slept
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert base.execute("PRAGMA user_version").fetchone() == (7,)
    schema = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name"
    assert base.execute(schema).fetchall() == sqlite3.connect(path).execute(schema).fetchall()


def test_keys_may_change_places_in_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE)")
    base.executemany("INSERT INTO t VALUES (?, ?)", [(1, "a"), (2, "b"), (3, "c")])
    base.commit()
    swap = {1: 2, 2: 3, 3: 1, "a": "b", "b": "c", "c": "a"}
    done = again(path, lambda cell: swap[cell])  # type: ignore[index]
    assert sqlite3.connect(done).execute("SELECT * FROM t ORDER BY id").fetchall() == [(1, "a"), (2, "b"), (3, "c")]
    with pytest.raises(TableRefusal, match="t: the UNIQUE constraint of column code refuses the new values"):
        again(path, lambda cell: "same" if isinstance(cell, str) else cell)


def test_columns_left_out_of_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE t (a TEXT, b TEXT, c TEXT UNIQUE)")
    base.execute("INSERT INTO t VALUES ('1', 'needle', '3')")
    base.commit()
    done = again(path, at=[], dropped=[1], keep=lambda row: True)
    assert sqlite3.connect(done).execute("SELECT * FROM t").fetchall() == [("1", "3")]
    assert b"needle" not in done.read_bytes()
    with pytest.raises(TableRefusal, match="column 2: can't be dropped"):
        again(path, at=[], dropped=[2])


def test_full_text_tables_are_refused(tmp_path: Path) -> None:
    path, out = tmp_path / "t.db", tmp_path / "o.db"
    base = sqlite3.connect(path)
    base.execute("CREATE VIRTUAL TABLE notes USING fts5(text)")
    base.execute("INSERT INTO notes VALUES ('needle')")
    base.commit()
    (left,) = rewrite(path, out, ReadOptions(), lambda info: Each(info, shout)).left_out
    assert "virtual tables" in left.reason
    assert not out.exists()


def workbook(path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    first = book.active
    first.title = "people"
    first["C2"] = "Members, by Zoë"
    rows = [
        ["name", "card", "born", "share", "is_member"],
        ["Ann", 4111, datetime.datetime(1980, 2, 3), 0.5, True],
        ["=1+1", None, None, None, None],
        ["Bob", 7, datetime.datetime(1990, 1, 1, 2, 3, 4), 2, False],
    ]
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            cell = first.cell(4 + i, 3 + j, value)
            if isinstance(value, str):
                cell.data_type = "s"
    first["F5"].number_format = "0.00%"
    book.create_sheet("nothing")
    hidden = book.create_sheet("secret")
    hidden.sheet_state = "hidden"
    for row in (["id", "e-mail"], ["00501", "ann@example.org"], ["2", "bob@example.org"]):
        hidden.append(row)
    book.save(path)


def test_excel(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    workbook(path)
    before = [(names(t), cells(t)) for t in tables(path)]
    assert [(names(t), cells(t)) for t in tables(again(path))] == before
    done = again(path, shout)
    assert [cells(t) for t in tables(done)] == [
        [[c if c in ("true", "false") else c.upper() for c in row] for row in rows] for _, rows in before
    ]
    book = openpyxl.load_workbook(done)
    assert [(s.title, s.sheet_state) for s in book.worksheets] == [
        ("people", "visible"),
        ("nothing", "visible"),
        ("secret", "hidden"),
    ]
    sheet = book["people"]
    assert [c.value for c in sheet[5]][2:] == ["ANN", 4111, datetime.datetime(1980, 2, 3), 0.5, True]
    assert (sheet["C2"].value, sheet["C6"].value, sheet["C6"].data_type) == ("MEMBERS, BY ZOË", "=1+1", "s")
    assert (sheet["F5"].number_format, book["secret"]["A2"].value) == ("0.00%", "00501")


def test_columns_and_rows_left_out_of_excel(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    workbook(path)
    out = tmp_path / "o.xlsx"
    result = rewrite(
        path,
        out,
        ReadOptions(),
        lambda info: Each(info, shout, [0], [1], lambda row: row != 0) if info.table == "secret" else None,
    )
    assert not result.left_out
    openpyxl = pytest.importorskip("openpyxl")
    assert list(openpyxl.load_workbook(out)["secret"].values) == [("id",), ("2",)]


def test_what_is_read_but_not_written(tmp_path: Path) -> None:
    xlwt = pytest.importorskip("xlwt")
    book = xlwt.Workbook()
    book.add_sheet("people").write(0, 0, "name")
    path = tmp_path / "t.xls"
    book.save(path)
    (left,) = rewrite(path, tmp_path / "o.xls", ReadOptions(), lambda info: Each(info, shout)).left_out
    assert "read but not written" in left.reason


def test_formats_of_the_reader_s_tests(tmp_path: Path) -> None:
    for name, data in (("t.parquet", parquet()), ("t.arrow", arrow()), ("s.arrow", arrow_stream()), ("t.avro", avro())):
        path = tmp_path / name / name
        path.parent.mkdir()
        path.write_bytes(data)
        assert [cells(t) for t in tables(again(path))] == [cells(t) for t in tables(path)]


ROWS = pl.DataFrame({"name": [f"ann {i}" for i in range(23)], "city": ["Ulm", "Bonn", None, "Kiel"] * 5 + ["Ulm"] * 3})


def _workbook(path: Path) -> None:
    """A sheet whose table begins at C3."""
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("people")
        for at, row in enumerate([ROWS.columns, *ROWS.rows()], 2):
            sheet.write_row(at, 2, row)


@pytest.mark.parametrize("together", [1, 5, 23, 4096])
@pytest.mark.parametrize("kind", ["jsonl", "avro", "xlsx"])
def test_rows_are_edited_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, together: int) -> None:
    """What becomes of a row doesn't depend on how many are made into objects at a time, nor on rows that go."""
    from piiscan.io.write import edits, excel_writer

    monkeypatch.setattr(edits, "_TOGETHER", together)
    monkeypatch.setattr(excel_writer, "_TOGETHER", together)
    path = tmp_path / f"people.{kind}"
    if kind == "jsonl":
        ROWS.write_ndjson(path)
    elif kind == "avro":
        fields = [{"name": name, "type": ["null", "string"]} for name in ROWS.columns]
        with path.open("wb") as out:
            fastavro.writer(out, {"type": "record", "name": "r", "fields": fields}, ROWS.to_dicts())
    else:
        _workbook(path)
    options = ReadOptions(header=True)
    (table,) = tables(again(path, shout, options, keep=lambda row: row % 3 != 1), options)
    expected = ROWS.filter(pl.int_range(pl.len()) % 3 != 1).select(pl.all().str.to_uppercase())
    assert cells(table) == [[cell or "" for cell in row] for row in expected.rows()]
