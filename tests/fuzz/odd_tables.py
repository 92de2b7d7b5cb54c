"""Odd columnar files and databases."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import io
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .mutations import File
from .odd_texts import MAIL, SAID, SSN


def files() -> Iterator[tuple[str, File]]:
    """The files by their names."""
    yield from _columnar()
    yield from _avro()
    yield from _sqlite()
    yield from _duckdb()


def _shapes() -> dict[str, Any]:
    import pyarrow as pa

    day = datetime.datetime(2024, 1, 2, 3, 4, 5)
    text = pa.array(["x", SAID, None])
    return {
        "no columns": pa.table({}),
        "no rows": pa.table({"a": pa.array([], pa.string())}),
        "no rows, a needle as a name": pa.table({MAIL: pa.array([], pa.string())}),
        "one cell": pa.table({"a": [SAID]}),
        "names twice": pa.Table.from_arrays([text, text], ["a", "a"]),
        "an empty name": pa.table({"": text}),
        "a name of 20,000 letters": pa.table({"x" * 20_000: text}),
        "nothing but null": pa.table({"a": pa.nulls(3), "b": text}),
        "decimals": pa.table({"a": pa.array([decimal.Decimal("1.50")] * 3), "b": text}),
        "durations": pa.table({"a": pa.array([datetime.timedelta(1)] * 3), "b": text}),
        "moments": pa.table({"a": pa.array([day] * 3, pa.timestamp("ns", "Europe/Berlin")), "b": text}),
        "times": pa.table({"a": pa.array([day.time()] * 3), "b": text}),
        "dates": pa.table({"a": pa.array([day.date()] * 3), "b": text}),
        "booleans": pa.table({"a": [True, None, False], "b": text}),
        "halves": pa.table({"a": pa.array([1, 2, 3], pa.float32()), "b": text}),
        "unsigned": pa.table({"card": pa.array([4539148803436467, 1, 2], pa.uint64()), "b": text}),
        "binary": pa.table({"a": pa.array([b"x", SAID.encode(), None])}),
        "binary that is no text": pa.table({"a": pa.array([b"\xff\xfe\0", b"\0" + SAID.encode(), None])}),
        "binary that is packed": pa.table({"a": pa.array([zlib.compress(SAID.encode() * 9), b"x", None])}),
        "binary of a fixed length": pa.table({"a": pa.array([SAID.encode()] * 3, pa.binary(len(SAID)))}),
        "large texts": pa.table({"a": text.cast(pa.large_string())}),
        "lists": pa.table({"a": [["x"], [], ["y", SAID]]}),
        "lists of lists": pa.table({"a": [[["x"], []], [], [["y", SAID]]]}),
        "lists of a fixed length": pa.table({"a": pa.array([["x", SAID]] * 3, pa.list_(pa.string(), 2))}),
        "lists of objects": pa.table({"a": [[{"b": "x"}], [], [{"b": SAID}]]}),
        "objects": pa.table({"a": [{"b": {"c": "x"}}, None, {"b": {"c": SAID}}]}),
        "maps": pa.table({"a": pa.array([[("k", "x")], [], [("k", SAID)]], pa.map_(pa.string(), pa.string()))}),
        "keys of maps": pa.table({"a": pa.array([[(SAID, "x")], [], []], pa.map_(pa.string(), pa.string()))}),
        "dictionaries": pa.table({"a": text.dictionary_encode()}),
        "a value that no row has": pa.table({"a": pa.DictionaryArray.from_arrays([0, 0], ["x", SAID])}),
        "dictionaries in lists": pa.table({"a": pa.ListArray.from_arrays([0, 1, 3], text.dictionary_encode())}),
        "JSON in texts": pa.table({"a": ['{"b": "x"}', '{"b": "%s"}' % SAID, "{}"]}),
        "metadata": pa.table({"a": ["x"]}).replace_schema_metadata({"note": SAID}),
        "metadata of pandas": pa.table({"a": ["x"]}).replace_schema_metadata({"pandas": '{"x": "%s"}' % SAID}),
        "metadata of a column": pa.table([pa.array(["x"])], pa.schema([pa.field("a", pa.string(), metadata={"n": SAID})])),
        "a needle as metadata's key": pa.table({"a": ["x"]}).replace_schema_metadata({SAID: "x"}),
        "a needle as an inner name": pa.table({"a": [{MAIL: 1}, {MAIL: 2}]}),
        "a long text": pa.table({"a": ["x" * 200_000 + " " + SAID, "y"]}),
        "1,500 columns": pa.table({f"c{i}": [str(i)] for i in range(1500)} | {"z": [SAID]}),
        "many chunks": pa.table({"a": pa.chunked_array([["x"]] * 50 + [[SAID]])}),
        "a slice of a longer column": pa.table({"a": ["x"] * 9 + [SAID] + ["y"] * 9}).slice(8, 4),
        "extension types": pa.table({"a": pa.array(["x", SAID])}).cast(pa.schema([pa.field("a", pa.string(), metadata={"ARROW:extension:name": "x.y", "ARROW:extension:metadata": SSN})])),
    }  # fmt: skip


def _columnar() -> Iterator[tuple[str, File]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, table in _shapes().items():
        for form in ("parquet", "arrow", "arrows"):
            out = io.BytesIO()
            with contextlib.suppress(pa.ArrowException):  # what a format doesn't have
                if form == "parquet":
                    pq.write_table(table, out, compression="zstd" if "a" in name else "none")
                else:
                    begin = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
                    with begin(out, table.schema) as writer:
                        writer.write_table(table)
                yield f"{form}, {name}", File(out.getvalue(), f"a.{form}")
    with contextlib.suppress(pa.ArrowException, AttributeError):
        union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array(["x", "y"]), pa.array([SAID, SAID])])
        runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["x", SAID])
        for name, column in (("unions", union), ("runs", runs), ("views", pa.array(["x", SAID], pa.string_view()))):
            out = io.BytesIO()
            with pa.ipc.new_file(out, pa.schema([pa.field("a", column.type)])) as writer:
                writer.write_table(pa.table({"a": column}))
            yield f"arrow, {name}", File(out.getvalue(), "a.arrow")


def _avro() -> Iterator[tuple[str, File]]:
    import fastavro

    record: dict[str, Any] = {"type": "record", "name": "r"}
    kinds: dict[str, tuple[Any, list[Any]]] = {
        "texts": ("string", ["x", SAID]),
        "bytes": ("bytes", [b"x", SAID.encode()]),
        "a union": (["null", "string", "long"], [None, 5, SAID]),
        "an enum": ({"type": "enum", "name": "e", "symbols": ["x", "y"], "doc": SAID}, ["x", "y"]),
        "fixed": ({"type": "fixed", "name": "f", "size": len(SAID)}, [SAID.encode()]),
        "lists": ({"type": "array", "items": "string"}, [[], ["x", SAID]]),
        "maps": ({"type": "map", "values": "string"}, [{}, {"x": SAID}]),
        "keys of maps": ({"type": "map", "values": "string"}, [{SAID: "x"}]),
        "records": ({"type": "record", "name": "i", "fields": [{"name": "b", "type": "string"}]}, [{"b": SAID}]),
        "null": ("null", [None, None]),
        "no rows": ("string", []),
    }
    for name, (kind, cells) in kinds.items():
        out = io.BytesIO()
        schema = record | {"fields": [{"name": "a", "type": kind}]}
        fastavro.writer(out, schema, [{"a": cell} for cell in cells], sync_marker=bytes(range(16)))
        yield f"Avro, {name}", File(out.getvalue(), "a.avro")
    for key in ("doc", "default", "aliases", "namespace", "x-note"):
        field: dict[str, Any] = {"name": "a", "type": "string", key: [SAID] if key == "aliases" else SAID}
        out = io.BytesIO()
        with contextlib.suppress(Exception):  # a name that Avro doesn't take
            fastavro.writer(out, record | {"fields": [field]}, [{"a": "x"}], sync_marker=bytes(range(16)))
            yield f"Avro, a field's {key}", File(out.getvalue(), "a.avro")


def _database(*statements: str | tuple[str, tuple[Any, ...]]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a")
        db = sqlite3.connect(path, isolation_level=None)
        with contextlib.closing(db):
            for statement in statements:
                if isinstance(statement, tuple):
                    db.execute(*statement)
                else:
                    db.execute(statement)
        return path.read_bytes()


def _sqlite() -> Iterator[tuple[str, File]]:
    table = "create table t (a, b)"
    rows = "insert into t values ('x', 1), ('y', 2)"
    need = ("insert into t values (?, 3)", (SAID,))
    cases: dict[str, tuple[str | tuple[str, tuple[Any, ...]], ...]] = {
        "no tables": ("create table t (a)", "drop table t"),
        "an empty table": (table,),
        "a needle as a table": (f'create table "{MAIL}" (a)',),
        "a needle as a column": (f'create table t ("{MAIL}")',),
        "a view": (table, rows, need, "create view v as select a from t"),
        "a needle in a view": (table, rows, f"create view v as select '{SAID}' as a from t"),
        "a trigger": (table, rows, f"create trigger g after insert on t begin select '{SAID}'; end"),
        "an index with a condition": (table, rows, f"create index i on t (a) where a != '{SAID}'"),
        "a check": (f"create table t (a check (a != '{SAID}'))",),
        "a default": (f"create table t (a default '{SAID}')",),
        "a comment in the schema": (f"create table t (a /* {SAID} */)",),
        "without rowid": ("create table t (a text primary key) without rowid", ("insert into t values (?)", (SAID,))),
        "a generated column": ("create table t (a, b as (a || ' x'))", ("insert into t values (?)", (SAID,))),
        "strict": ("create table t (a text) strict", ("insert into t values (?)", (SAID,))),
        "a blob": (table, ("insert into t values (?, 1)", (SAID.encode(),))),
        "a blob in UTF-16": (table, ("insert into t values (?, 1)", (SAID.encode("utf-16-le"),))),
        "a packed blob": (table, ("insert into t values (?, 1)", (zlib.compress(SAID.encode() * 9),))),
        "a blob that is no text": (table, ("insert into t values (?, 1)", (b"\0\xff" + SAID.encode(),))),
        "text that is no UTF-8": (table, ("insert into t values (cast(? as text), 1)", (b"\xe4 " + SAID.encode(),))),
        "a NUL in a text": (table, ("insert into t values (cast(? as text), 1)", (b"x\0" + SAID.encode(),))),
        "UTF-16": ("pragma encoding = 'UTF-16le'", table, rows, need),
        "UTF-16 of the other order": ("pragma encoding = 'UTF-16be'", table, rows, need),
        "pages of 512": ("pragma page_size = 512", table, *[rows] * 60, need),
        "pages of 64 KiB": ("pragma page_size = 65536", table, rows, need),
        "a row over many pages": (table, ("insert into t values (?, 1)", ("x" * 50_000 + " " + SAID,))),
        "1,900 columns": ("create table t (" + ", ".join(f"c{i}" for i in range(1900)) + ")", ("insert into t (c1800) values (?)", (SAID,))),
        "kinds that change": (table, rows, "insert into t values (1.5, null)", need, ("insert into t values (?, ?)", (b"z", SAID))),
        "a deleted row": ("pragma secure_delete = off", table, rows, need, "delete from t where b = 3"),
        "a dropped table": ("pragma secure_delete = off", table, *[rows] * 90, *[need] * 90, "drop table t", "create table u (c)"),
        "auto_vacuum": ("pragma auto_vacuum = full", table, rows, need),
        "a full-text index": ("create virtual table f using fts5(a)", ("insert into f values (?)", (SAID,))),
        "a tree of boxes": ("create virtual table r using rtree(id, a, b)", table, need),
        "foreign keys": ("create table p (a primary key)", "create table c (a references p)", ("insert into c values (?)", (SAID,))),
        "a table like a reserved word": ('create table "select" ("from")', ('insert into "select" values (?)', (SAID,))),
        "quotes in names": ('create table "a""b" ("c""d")', ('insert into "a""b" values (?)', (SAID,))),
        "a name with a NUL's look": ('create table "a\\0b" (c)', ('insert into "a\\0b" values (?)', (SAID,))),
        "JSON": (table, ("insert into t values (?, 1)", ('{"x": "%s"}' % SAID,))),
        "statistics": (table, *[rows] * 9, need, "create index i on t (a)", "analyze"),
        "200 tables": (*(f"create table t{i} (a)" for i in range(200)), ("insert into t150 values (?)", (SAID,))),
        "a sequence": ("create table t (i integer primary key autoincrement, a)", ("insert into t (a) values (?)", (SAID,))),
        "an old journal mode": ("pragma journal_mode = wal", table, rows, need),
    }  # fmt: skip
    for name, statements in cases.items():
        with contextlib.suppress(sqlite3.OperationalError):  # what a build of SQLite lacks
            yield f"SQLite, {name}", File(_database(*statements), "a.sqlite")


def _duckdb() -> Iterator[tuple[str, File]]:
    try:
        import duckdb
    except ImportError:
        return
    cases = {
        "an empty table": ["create table t (a varchar)"],
        "a comment": ["create table t (a varchar)", f"comment on column t.a is '{SAID}'"],
        "an ENUM": [f"create type e as enum ('x', '{SAID}')", "create table t (a e)", "insert into t values ('x')"],
        "a struct": ["create table t (a struct(b varchar))", f"insert into t values ({{'b': '{SAID}'}})"],
        "a list": ["create table t (a varchar[])", f"insert into t values (['x', '{SAID}'])"],
        "a map": ["create table t (a map(varchar, varchar))", f"insert into t values (map {{'x': '{SAID}'}})"],
        "a view": [f"create view v as select '{SAID}' as a"],
        "a macro": [f"create macro m() as '{SAID}'"],
        "a default": [f"create table t (a varchar default '{SAID}')"],
        "a schema": ["create schema s", "create table s.t (a varchar)", f"insert into s.t values ('{SAID}')"],
        "a blob": ["create table t (a blob)", f"insert into t values ('{SAID}'::blob)"],
    }
    for name, statements in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.duckdb")
            with duckdb.connect(str(path)) as db:
                for statement in statements:
                    db.execute(statement)
            yield f"DuckDB, {name}", File(path.read_bytes(), "a.duckdb")
