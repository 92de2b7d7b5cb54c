"""SQLite databases: every table, by the standard library."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from piiscan.errors import ReadError
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.encoding import Encoding
from piiscan.io.options import ReadOptions
from piiscan.io.plain import text_of
from piiscan.io.typed import blocks
from piiscan.types import DType, Field, NotScanned, TableInfo

if TYPE_CHECKING:
    import polars as pl

_CHUNK_COLUMNS = 200


def tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """The tables of a database in the order of their making. Integers, reals and text keep their type where a column holds
    one of them only; any mixture is text, and blobs are read as text where they are. Raises `ReadError`."""
    try:
        database = Database(content)
        found = database.connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        names = [name for (name,) in found]
    except sqlite3.Error:
        raise ReadError("malformed or encrypted SQLite database; check it with its program") from None
    for name in names:
        try:
            yield _table(database, content, name, options)
        except ReadError as error:
            yield NotScanned(content.source, str(error), name)
        except sqlite3.Error:
            yield NotScanned(content.source, "malformed table, or one that needs an SQLite extension; export it as CSV", name)


class Stored(NamedTuple):
    """The database that a table is in, and how rows of it become a frame."""

    database: Database
    frame: Callable[[Sequence[Sequence[object]]], pl.DataFrame]
    batch_rows: int


class Database:
    """A connection that reads only, closed with the last table that needs it."""

    def __init__(self, content: Content) -> None:
        with content.named() as path:
            # Without a log beside it nothing else changes the file, and `immutable` keeps SQLite from writing files of its own.
            log = Path(path + "-wal")
            mode = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
            uri = f"file:{quote(str(Path(path).absolute()))}?{mode}"
            self.connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
            weakref.finalize(self, self.connection.close)
            self.connection.execute("PRAGMA trusted_schema = OFF")
            self.connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()  # opens the file
        encoding = Encoding("utf-8", True)
        self.connection.text_factory = lambda text: text.decode("utf-8", encoding.errors)


def _table(database: Database, content: Content, name: str, options: ReadOptions) -> ReadTable:
    table = quoted(name)
    execute = database.connection.execute
    columns = [column[0] for column in execute(f"SELECT * FROM {table} LIMIT 0").description]
    if len(columns) > options.limits.columns:
        raise ReadError(f"more than {options.limits.columns} columns")
    types: list[DType] = []
    for start in range(0, len(columns), _CHUNK_COLUMNS):
        part = columns[start : start + _CHUNK_COLUMNS]
        asked = ", ".join(f"group_concat(DISTINCT typeof({quoted(column)}))" for column in part)
        for kinds in execute(f"SELECT {asked} FROM {table}").fetchone():
            types.append(_dtype(set((kinds or "").split(",")) - {"null", ""}))
    fields = tuple(Field(column, dtype) for column, dtype in zip(columns, types, strict=True))
    info = TableInfo(content.source, name, "sqlite", True, fields, describe(content))

    def frame(block: Sequence[Sequence[object]]) -> pl.DataFrame:
        import polars as pl

        schema = {str(i): {"integer": pl.Int64, "float": pl.Float64}.get(t, pl.String) for i, t in enumerate(types)}
        converters: list[Callable[[object], object] | None] = [None if t in ("integer", "float") else text_of for t in types]
        data = {
            str(i): list(cells) if convert is None else [convert(cell) for cell in cells]
            for i, (cells, convert) in enumerate(zip(zip(*block, strict=True), converters, strict=True))
        }
        return pl.DataFrame(data, schema=schema)

    def frames(rows: int = -1) -> Iterator[pl.DataFrame]:
        try:
            yield from map(frame, blocks(execute(f"SELECT * FROM {table} LIMIT {rows}").fetchmany, options.batch_rows))
        except sqlite3.Error:
            raise ReadError("malformed table; check the database with its program") from None

    return ReadTable(info, frames, options.rows, Stored(database, frame, options.batch_rows), frames)


def _dtype(kinds: set[str]) -> DType:
    return "integer" if kinds == {"integer"} else "float" if kinds == {"real"} else "string"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
