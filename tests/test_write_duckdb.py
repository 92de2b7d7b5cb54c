"""DuckDB databases written again: schema, types and untouched cells stay, and of what was changed nothing is left in
the file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import polars as pl
import pytest
from conftest import ROOT
from mask_people import customers, key_file, piiscan, planned, words_of

from piiscan.core.errors import TableRefusal, WriteError
from piiscan.core.types import Batch, Field, TableInfo
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Changed, Column
from piiscan.io.write.rewrite import rewrite

ROWS = 3000


class Edit(NamedTuple):
    """Puts a text in front of some columns' cells; leaves some columns and rows out."""

    info: TableInfo
    front: Mapping[str, str]
    drop: Sequence[str] = ()
    every: int = 1

    @property
    def columns(self) -> tuple[Column, ...]:
        fields = enumerate(self.info.fields)
        return tuple(Column(f, i, f.name not in self.front) for i, f in fields if f.name not in self.drop)

    def apply(self, batch: Batch) -> Changed:
        kept = pl.Series([(batch.offset + i) % self.every == 0 for i in range(len(batch.frame))])  # type: ignore[operator]
        new = []
        for i, column in enumerate(self.columns):
            if not column.same:
                cells = batch.frame[str(column.origin)]
                front = self.front[str(column.field.name)]
                masks = (
                    cells.list.eval(front + pl.element())
                    if isinstance(cells.dtype, pl.List)
                    else front + cells.cast(pl.String)
                )
                new.append(
                    (masks if front else pl.Series([None] * len(cells), dtype=cells.dtype)).filter(kept).alias(str(i))
                )
        return Changed(pl.DataFrame(new), kept)


def made(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as base:
        for statement in statements:
            base.execute(statement)
    return path


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as base:
        return base.execute(sql).fetchall()


def written(source: Path, target: Path, **edits: Mapping[str, Any]) -> Path:
    """`source` with the tables of `edits` changed."""
    rewrite(
        source,
        target,
        ReadOptions(batch_rows=700),
        lambda info: Edit(info, **edits[str(info.table)]) if info.table in edits else None,
    )
    return target


SHOP = (
    "CREATE SCHEMA old",
    "CREATE TYPE mood AS ENUM ('happy', 'sad')",
    "CREATE SEQUENCE numbers START 5",
    "CREATE TABLE people (id INTEGER PRIMARY KEY, email VARCHAR UNIQUE NOT NULL, mood mood, u UUID, price "
    "DECIMAL(10, 2), raw BLOB, "
    "home STRUCT(city VARCHAR, zip STRUCT(a INTEGER, b VARCHAR)), tags VARCHAR[], twice INTEGER GENERATED "
    "ALWAYS AS (id * 2) VIRTUAL, "
    "born DATE, seen TIMESTAMPTZ, wide HUGEINT, n INTEGER DEFAULT nextval('numbers'), CHECK (id > 0))",
    "CREATE TABLE orders (person INTEGER REFERENCES people (id), note VARCHAR)",
    "CREATE TABLE old.items (a INTEGER, name VARCHAR)",
    "CREATE VIEW addresses AS SELECT id, email FROM people",
    "CREATE INDEX by_day ON people (born)",
    "CREATE MACRO double(a) AS a * 2",
    "COMMENT ON TABLE people IS 'those who buy'",
    "INSERT INTO people (id, email, mood, u, price, raw, home, tags, born, seen, wide) SELECT i, 'person' || i "
    "|| '@mail.com', "
    "CASE WHEN i % 2 = 0 THEN 'happy' ELSE 'sad' END::mood, uuid(), i / 3, CASE WHEN i % 2 = 0 THEN "
    "'text'::BLOB ELSE '\\xFF\\x00'::BLOB END, "
    "CASE WHEN i % 5 = 0 THEN NULL ELSE {'city': 'town' || i, 'zip': {'a': i, 'b': NULL}} END, ['secret' || i, NULL], "
    "DATE '2000-01-01' + i::INTEGER, TIMESTAMPTZ '2020-01-01 10:00:00+02', i::HUGEINT * 100000000000000000000 "
    f"FROM range(1, {ROWS + 1}) t(i)",
    "DELETE FROM people WHERE id % 7 = 0",
    "INSERT INTO orders SELECT id, 'note ' || id FROM people ORDER BY id DESC",
    "INSERT INTO old.items VALUES (1, 'pen'), (NULL, NULL)",
)
DEFINED = (
    "SELECT schema_name, table_name, comment FROM duckdb_tables() ORDER BY ALL",
    "SELECT table_name, constraint_text FROM duckdb_constraints() ORDER BY ALL",
    "SELECT index_name, sql FROM duckdb_indexes() ORDER BY ALL",
    "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal",
    "SELECT sequence_name FROM duckdb_sequences()",
    "SELECT function_name FROM duckdb_functions() WHERE NOT internal",
    "SELECT table_name, column_name, data_type, column_default, is_nullable FROM duckdb_columns() WHERE NOT "
    "internal ORDER BY table_name, column_index",
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return made(tmp_path / "shop.duckdb", *SHOP)


def test_what_does_not_change_stays(shop: Path, tmp_path: Path) -> None:
    out = written(shop, tmp_path / "out.duckdb", people={"front": {"email": "x"}}, orders={"front": {}})
    for sql in (
        *DEFINED,
        "SELECT * EXCLUDE (email) REPLACE (seen::VARCHAR AS seen) FROM people",
        "SELECT * FROM orders",
        "SELECT * FROM old.items",
    ):
        assert rows(out, sql) == rows(shop, sql), sql
    assert rows(out, "SELECT email FROM addresses") == [("x" + e,) for (e,) in rows(shop, "SELECT email FROM people")]
    assert rows(out, "SELECT double(4)") == [(8,)]
    assert out.stat().st_mode == shop.stat().st_mode
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.duckdb", "shop.duckdb"]


def test_cells_of_every_type(shop: Path, tmp_path: Path) -> None:
    front = {
        "email": "x",
        "home.city": "y",
        "home.zip.b": "z",
        "tags": "t",
        "raw": "r",
        "price": "1",
        "wide": "1",
        "born": "",
        "seen": "",
    }
    out = written(shop, tmp_path / "out.duckdb", people={"front": front})
    for sql in DEFINED:
        assert rows(out, sql) == rows(shop, sql), sql
    new = rows(out, "SELECT id, home, tags, raw, price, wide, born, seen, twice FROM people")
    old = rows(shop, "SELECT id, home, tags, raw, price, wide, twice FROM people")
    for (i, home, tags, raw, price, wide, born, seen, twice), (j, was, had, before, cost, number, _) in zip(
        new, old, strict=True
    ):
        assert i == j and twice == 2 * i and born is None and seen is None
        assert home == (None if was is None else {"city": "y" + was["city"], "zip": {"a": i, "b": None}})
        assert tags == ["t" + had[0], None] and raw == (b"rtext" if before == b"text" else raw)
        assert str(price) == f"1{cost}" and str(wide) == f"1{number}"


def test_rows_and_columns_that_go(shop: Path, tmp_path: Path) -> None:
    out = written(
        shop,
        tmp_path / "out.duckdb",
        orders={"front": {"note": "x"}, "every": 3},
        **{"old.items": {"front": {}, "drop": ["name"]}},
    )
    assert rows(out, "SELECT * FROM orders") == [(p, f"x{n}") for p, n in rows(shop, "SELECT * FROM orders")[::3]]
    assert rows(out, "SELECT * FROM old.items") == [(1,), (None,)]


def test_types_that_list_their_values_lose_them(tmp_path: Path) -> None:
    names = ", ".join(f"'Originalia{i}'" for i in range(40))
    source = made(
        tmp_path / "in.duckdb",
        f"CREATE TYPE names AS ENUM ({names})",
        "CREATE TABLE t (name names, u UUID)",
        "INSERT INTO t SELECT 'Originalia' || i, uuid() FROM range(40) t(i)",
    )
    out = written(source, tmp_path / "out.duckdb", t={"front": {"name": "x", "u": "x"}})
    assert b"Originalia7" in source.read_bytes() and b"xOriginalia7" in out.read_bytes()
    assert out.read_bytes().count(b"Originalia7") == out.read_bytes().count(b"xOriginalia7")
    assert rows(out, "SELECT data_type FROM duckdb_columns() WHERE NOT internal") == [("VARCHAR",), ("VARCHAR",)]
    assert rows(out, "SELECT type_name FROM duckdb_types() WHERE NOT internal") == []


def test_nanoseconds_in_lists_are_not_cut(tmp_path: Path) -> None:
    source = made(
        tmp_path / "in.duckdb",
        "CREATE TABLE t AS SELECT [{'mail': 'ann' || i || '@mail.org', 'at': make_timestamp_ns(1704103200000000001)}] "
        "seen FROM range(30) t(i)",
    )
    with pytest.raises(TableRefusal, match="would lose their nanoseconds"):
        written(source, tmp_path / "out.duckdb", t={"front": {"seen[].mail": "x"}})


@pytest.mark.parametrize(
    ("table", "front", "drop", "says"),
    [
        ("people", {"id": "x"}, [], "no place in its column's type"),
        ("people", {"email": ""}, [], "people: a primary key or UNIQUE constraint refuses"),
        ("days", {"day": ""}, [], "days: the NOT NULL constraint of column day refuses"),
        ("people", {}, ["id"], "column 0: a key, a constraint or another table needs it"),
        ("people", {}, ["home.city"], "column 6: a field of a struct can't be dropped"),
        ("moods", {"all": "x"}, [], "column 0: it would need another type"),
    ],
)
def test_what_can_not_be_written_is_refused(
    shop: Path, tmp_path: Path, table: str, front: dict[str, str], drop: list[str], says: str
) -> None:
    made(
        shop,
        "CREATE TABLE moods (all_ mood[])",
        'ALTER TABLE moods RENAME all_ TO "all"',
        "INSERT INTO moods VALUES (['happy'])",
        "CREATE TABLE days (day DATE NOT NULL)",
        "INSERT INTO days VALUES ('2020-01-01')",
    )
    with pytest.raises(TableRefusal) as refused:
        written(shop, tmp_path / "out.duckdb", **{table: {"front": front, "drop": drop}})
    assert says in str(refused.value) and "person1" not in str(refused.value)
    assert [p.name for p in tmp_path.iterdir()] == ["shop.duckdb"]


def test_a_masked_database(tmp_path: Path) -> None:
    people = customers(300)
    names = ", ".join(f"{name} {'DOUBLE' if name == 'amount' else 'VARCHAR'}" for name in people.columns)
    (tmp_path / "out").mkdir()
    source = tmp_path / "shop.duckdb"
    with duckdb.connect(str(source)) as base:
        base.execute(f"CREATE TABLE customers ({names})")
        base.executemany(f"INSERT INTO customers VALUES ({', '.join('?' * people.width)})", people.rows())
        base.execute("CREATE TABLE orders AS SELECT email AS customer_email, amount AS total FROM customers")
        base.execute("CREATE UNIQUE INDEX one ON customers (email)")
    plan = planned(source, tmp_path / "plan.toml")
    call = ["--plan", plan, "--key", key_file(tmp_path)]
    piiscan("mask", source, "-o", tmp_path / "out" / "shop.duckdb", *call)
    out = pl.DataFrame(
        rows(tmp_path / "out" / "shop.duckdb", "SELECT * FROM customers"),
        schema=people.columns,
        orient="row",
        infer_schema_length=None,
    )
    assert out.select("gender", "city").equals(people.select("gender", "city")) and len(out) == 300
    assert rows(
        tmp_path / "out" / "shop.duckdb", "SELECT count(*) FROM orders JOIN customers ON email = customer_email"
    ) == [(300,)]
    raw = (tmp_path / "out" / "shop.duckdb").read_bytes()
    originals = words_of(people, ["email", "ssn", "phone"])
    assert len(originals) > 800 and not [value for value in originals if value.encode() in raw]
    piiscan("unmask", tmp_path / "out" / "shop.duckdb", "-o", tmp_path / "shop2.duckdb", *call)
    assert rows(tmp_path / "shop2.duckdb", "SELECT ssn FROM customers") == [(s,) for s in people["ssn"]]


JUNK = {"DUCKDB_JE_MALLOC_CONF": "junk:true", "MALLOC_PERTURB_": "90"}
"""Allocators fill the memory that they hand out with 0xa5."""
UNUSED = re.compile(rb"\xa5{6,}")


MAKE = (
    "CREATE TABLE people AS SELECT range AS id, 'ann' || range || '@mail.com' AS email, md5(range::VARCHAR) AS token, "
    "hash(range) / 7 AS x, (range % 7)::VARCHAR AS k FROM range(60000)"
)
CHANGED = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from test_write_duckdb import MAKE, made, written
made(source := Path(sys.argv[1]) / "in.duckdb", MAKE)
written(source, source.with_name("out.duckdb"), people={"front": {"k": "x"}})
"""


def test_no_unused_memory_of_the_process_is_written(tmp_path: Path) -> None:
    """What DuckDB doesn't clear in its blocks shows where memory is filled before it is used."""
    here = [str(ROOT), str(ROOT / "tests")]
    subprocess.run([sys.executable, "-c", CHANGED, tmp_path, *here], env=os.environ | JUNK, check=True)
    source, out = tmp_path / "in.duckdb", tmp_path / "out.duckdb"
    if not UNUSED.search(source.read_bytes()):
        pytest.skip("this DuckDB clears its blocks, or its memory isn't filled here")
    kept, new = rows(source, "SELECT id, email, token, x, 'x' || k FROM people"), rows(out, "SELECT * FROM people")
    assert new == kept
    assert not UNUSED.search(out.read_bytes())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.duckdb", "out.duckdb"]


def test_the_process_that_writes_gets_no_keys_and_is_killed_with_nothing_left(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "python"
    seen = tmp_path / "seen"
    fake.write_text(f"#!/bin/sh\nenv > {seen}\nkill -9 $$\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PIISCAN_KEY", "a secret")
    monkeypatch.setattr(sys, "executable", str(fake))
    with pytest.raises(WriteError, match="has ended with status -9") as failed:
        written(shop, tmp_path / "out.duckdb", people={"front": {"email": "x"}})
    assert "person1" not in str(failed.value) and "a secret" not in seen.read_text()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with pytest.raises(WriteError, match="can't be started"):
        written(shop, tmp_path / "out.duckdb", people={"front": {"email": "x"}})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["python", "seen", "shop.duckdb"]


def test_without_the_package_the_database_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = made(tmp_path / "in.duckdb", "CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    done = rewrite(source, tmp_path / "out.duckdb", ReadOptions(), lambda info: None)
    assert "pip install 'piiscan-toolkit[duckdb]'" in done.left_out[0].reason and not (tmp_path / "out.duckdb").exists()


def test_a_field_s_new_type(tmp_path: Path) -> None:
    """A column of dates that becomes one of texts."""

    class Years(NamedTuple):
        columns: tuple[Column, ...] = (Column(Field("day", "string"), 0),)

        def apply(self, batch: Batch) -> Changed:
            return Changed(pl.DataFrame({"0": batch.frame["0"].cast(pl.String).str.head(4)}))

    source = made(
        tmp_path / "in.duckdb", "CREATE TABLE t (day DATE)", "INSERT INTO t VALUES (DATE '2001-02-03'), (NULL)"
    )
    rewrite(source, tmp_path / "out.duckdb", ReadOptions(), lambda info: Years())
    assert rows(tmp_path / "out.duckdb", "SELECT day, typeof(day) FROM t") == [("2001", "VARCHAR"), (None, "VARCHAR")]
