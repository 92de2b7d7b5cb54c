"""SQLite databases: every table, the literals of the schema and the samples of statistics, by the standard library."""

from __future__ import annotations

import sqlite3
import struct
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.types import DType, Field, ForeignKey, NotScanned, Referrer, TableInfo
from piiscan.io import asides, write_ahead_logs
from piiscan.io.cells import literals
from piiscan.io.cells.long_values import LeftOut
from piiscan.io.cells.plain import text_of
from piiscan.io.cells.typed import blocks
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.encodings.encoding import Encoding
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

_CHUNK_COLUMNS = 200
_TRIES: Final = 16
"""Values of a column that are too long, after which no more of it is read."""
SCHEMA: Final = "sqlite_master"
_SAMPLES: Final = ("sqlite_stat3", "sqlite_stat4")
_DESCENDING: Final = lazy_pattern(r"(?i)primary\s+key\s+desc")
"""For once, such a key isn't the rows' number. Source: sqlite.org/lang_createtable.html, section 5."""
_WITHOUT_NUMBERS: Final = lazy_pattern(r"(?i)without\s+rowid[^)]*$")
_FREE: Final = "{:,} free pages may hold deleted rows, which weren't read; VACUUM removes them"
_LOG: Final = "its write-ahead log may hold older versions of rows, which weren't read; a checkpoint removes them"


def tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """The tables of a database in the order of their making.

    Integers, reals and text keep their type where a column holds one of them only; any mixture is text, and blobs are
    read as text where they are. Then, where there are any, the literals in the statements that made the schema
    (defaults, checks, views, triggers) and the cells that ANALYZE took as samples. Raises `ReadError`.
    """
    try:
        database = Database(content)
        found = database.connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        names = [name for (name,) in found]
        notes, missing = _claim(database, content)
    except sqlite3.Error:
        raise ReadError("malformed or encrypted SQLite database; check it with its program") from None
    if missing:
        # SQLite reads rows of a page that was cut short as empty ones.
        yield NotScanned(
            content.source, f"truncated SQLite database: {missing:,} bytes are missing at its end; fetch it again"
        )
    for name in names:
        try:
            yield _table(database, content, name, notes, options)
        except ReadError as error:
            yield NotScanned(content.source, str(error), name)
        except sqlite3.Error:
            yield NotScanned(
                content.source, "malformed table, or one that needs an SQLite extension; export it as CSV", name
            )
    if options.asides:
        yield from _asides(database, content)


def _claim(database: Database, content: Content) -> tuple[tuple[str, ...], int]:
    """Account for the pages of the database: what follows the last one belongs to no table.

    What is uncertain about them, and how many bytes the file lacks of the pages that it says it has; a write-ahead log
    may hold those.
    """
    (pages,), (size,), (free,) = (
        database.connection.execute(f"PRAGMA {name}").fetchone()
        for name in ("page_count", "page_size", "freelist_count")
    )
    notes = (*([_FREE.format(free)] if free else []), *([_LOG] if database.has_log else []))
    said = content.size if database.has_log else int(pages * size)
    content.account.read(0, min(content.size, said))
    return notes, max(0, said - content.size)


def _asides(database: Database, content: Content) -> Iterator[ReadTable | NotScanned]:
    execute = database.connection.execute
    try:
        schema = execute("SELECT name, tbl_name, sql FROM sqlite_master").fetchall()
        names = {name for *both, _ in schema for name in both}
        for (table,) in execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall():
            with suppress(sqlite3.Error):  # a view of what is gone
                names |= {row[1] for row in execute(f"PRAGMA table_xinfo({quoted(table)})")}
        if found := literals.of_sql((sql for *_, sql in schema if sql), names):
            yield asides.texts(content, SCHEMA, found, copied=True)
        for table in _SAMPLES:
            if table in names:
                samples = [text for (record,) in execute(f"SELECT sample FROM {table}") for text in _cells(record)]
                yield asides.texts(content, table, samples)
    except sqlite3.Error:
        yield NotScanned(content.source, "its schema can't be read; check the database with its program", SCHEMA)


def _cells(record: object) -> Iterator[str]:
    """The cells of a record as SQLite stores it, as texts. Source: sqlite.org/fileformat2.html, section 2.1."""
    if not isinstance(record, bytes):
        return
    size, at = _varint(record, 0)
    kinds = []
    while at < size:
        kind, at = _varint(record, at)
        kinds.append(kind)
    for kind in kinds:
        length = (kind - 12) // 2 if kind >= 12 else (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)[kind]
        cell, at = record[at : at + length], at + length
        if kind >= 12:
            yield text_of(cell) or ""
        elif length:
            yield str(
                struct.unpack(">d", cell)[0]
                if kind == 7 and length == len(cell)
                else int.from_bytes(cell, "big", signed=True)
            )


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for i in range(8):
        byte = data[at + i] if at + i < len(data) else 0
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + i + 1
    return value << 8 | (data[at + 8] if at + 8 < len(data) else 0), at + 9


Execute = Callable[..., sqlite3.Cursor]
_REFERRERS: Final = (
    "SELECT DISTINCT m.name FROM sqlite_master m, pragma_foreign_key_list(m.name) f "
    "WHERE m.type = 'table' AND lower(f.\"table\") = lower(?) AND m.name <> ? ORDER BY 1"
)


class Stored(NamedTuple):
    """The database that a table is in, and how rows of it become a frame."""

    database: Database
    frame: Callable[[Sequence[Sequence[object]]], pl.DataFrame]
    batch_rows: int


class Database:
    """A connection that reads only, closed with the last table that needs it."""

    def __init__(self, content: Content) -> None:
        with content.named() as path:
            if write_ahead_logs.is_interrupted(path):
                raise ReadError(
                    "a rollback journal lies beside it: a program was interrupted; open it once with its program"
                )
            self.has_log = write_ahead_logs.write_ahead(path) is not None
            # Without a log beside it nothing else changes the file, and `immutable` keeps SQLite from writing files of
            # its own.
            mode = "mode=ro" if self.has_log else "mode=ro&immutable=1"
            uri = f"file:{quote(str(Path(path).resolve()))}?{mode}"
            self.connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
            weakref.finalize(self, self.connection.close)
            self.connection.execute("PRAGMA trusted_schema = OFF")
            # A value above it is an error to SQLite, before it takes any memory.
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, shares.value())
            self.connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()  # opens the file
        encoding = Encoding("utf-8", True)
        self.connection.text_factory = lambda text: text.decode("utf-8", encoding.errors)


def _table(database: Database, content: Content, name: str, notes: tuple[str, ...], options: ReadOptions) -> ReadTable:
    table = quoted(name)
    execute = database.connection.execute
    columns = [column[0] for column in execute(f"SELECT * FROM {table} LIMIT 0").description]
    if len(columns) > options.limits.columns:
        raise ReadError(f"more than {options.limits.columns} columns")
    types = [_dtype(kinds - {"null", ""}) for kinds in _kinds(execute, table, columns)]
    fields = tuple(Field(column, dtype) for column, dtype in zip(columns, types, strict=True))
    info = TableInfo(
        content.source,
        name,
        "sqlite",
        True,
        fields,
        describe(content),
        notes,
        foreign_keys=tuple(_foreign_keys(execute, table, columns)),
        referred_by=tuple(_referrers(execute, name)),
        order_column=_order_column(execute, name, columns),
    )

    def frame(block: Sequence[Sequence[object]]) -> pl.DataFrame:
        import polars as pl

        schema = {str(i): {"integer": pl.Int64, "float": pl.Float64}.get(t, pl.String) for i, t in enumerate(types)}
        converters: list[Callable[[object], object] | None] = [
            None if t in ("integer", "float") else text_of for t in types
        ]
        data = {
            str(i): list(cells) if convert is None else [convert(cell) for cell in cells]
            for i, (cells, convert) in enumerate(zip(zip(*block, strict=True), converters, strict=True))
        }
        return pl.DataFrame(data, schema=schema)

    def frames(rows: int = -1) -> Iterator[pl.DataFrame]:
        left_out = LeftOut()
        try:
            found = blocks(_rows(execute, table, columns, rows, left_out), options.batch_rows)
            yield from map(frame, found)
        except sqlite3.Error:
            raise ReadError("malformed table; check the database with its program") from None
        if (error := left_out.error()) is not None:
            raise error

    return ReadTable(info, frames, options.rows, Stored(database, frame, options.batch_rows), frames)


def _order_column(execute: Execute, name: str, columns: Sequence[str]) -> int | None:
    """The key that is the rows' number, or takes its place: rows lie in its order. None if that is no column's."""
    keys = [row for row in execute(f"PRAGMA table_xinfo({quoted(name)})") if row[5]]
    if len(keys) != 1 or keys[0][1] not in columns:
        return None
    found = execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone()
    sql = str(found[0]) if found else ""
    is_number = keys[0][2].upper() == "INTEGER" and not _DESCENDING.search(sql)
    return columns.index(keys[0][1]) if is_number or _WITHOUT_NUMBERS.search(sql) else None


def _foreign_keys(execute: Execute, table: str, columns: Sequence[str]) -> Iterator[ForeignKey]:
    """An entry for each column. SQLite looks for columns without regard to case."""
    places = {column.casefold(): i for i, column in enumerate(columns)}
    try:
        rows = execute(f"PRAGMA foreign_key_list({table})").fetchall()
        of_keys = Counter(row[0] for row in rows)
        for number, at, target, column, to, *_ in sorted(rows, key=lambda row: row[:2]):
            if column.casefold() in places:
                described = execute(f"PRAGMA table_xinfo({quoted(target)})").fetchall()
                there = tuple(row[1] for row in described)
                primary = [row[1] for row in sorted(described, key=lambda row: row[5]) if row[5]]
                known = to or (*primary[at : at + 1], None)[0]
                yield ForeignKey(places[column.casefold()], target, there, known, of_keys[number] == 1)
    except sqlite3.Error:  # a schema that can't be read is said elsewhere
        return


def _referrers(execute: Execute, table: str) -> Iterator[Referrer]:
    """Yield the tables that refer to this one."""
    try:
        for (name,) in execute(_REFERRERS, (table, table)).fetchall():
            described = execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
            yield Referrer(name, tuple(row[1] for row in described))
    except sqlite3.Error:  # a schema that can't be read is said elsewhere
        return


def _kinds(execute: Execute, table: str, columns: Sequence[str]) -> Iterator[set[str]]:
    """The kinds of values that each column holds."""
    for start in range(0, len(columns), _CHUNK_COLUMNS):
        of = [f"group_concat(DISTINCT typeof({quoted(column)}))" for column in columns[start : start + _CHUNK_COLUMNS]]
        try:
            found = execute(f"SELECT {', '.join(of)} FROM {table}").fetchone()
        except sqlite3.DataError:  # a column that is computed, of values too long to be told apart
            found = [_kind(execute, table, each) for each in of]
        yield from (set((kinds or "").split(",")) for kinds in found)


def _kind(execute: Execute, table: str, of: str) -> str:
    try:
        return str(execute(f"SELECT {of} FROM {table}").fetchone()[0] or "")
    except sqlite3.DataError:
        return "text,blob"


def _rows(
    execute: Execute, table: str, columns: Sequence[str], most: int, left_out: LeftOut
) -> Iterator[tuple[object, ...]]:
    """The rows, `most` of them (-1: all).

    SQLite ends a statement at a value that is too long: its row is read column by column, and the next ones by a new
    statement. A column of many such values isn't read on.
    """
    selected = [quoted(column) for column in columns]
    row, failed = 0, [0] * len(columns)
    while True:
        left = most - row if most >= 0 else -1
        try:
            # Without an index, in which rows are in another order.
            cells = execute(f"SELECT {', '.join(selected)} FROM {table} NOT INDEXED LIMIT {left} OFFSET {row}")
            for found in cells:
                yield found
                row += 1
            return
        except sqlite3.DataError:
            pass
        single: list[object] = []
        for i, column in enumerate(selected):
            try:
                single += execute(f"SELECT {column} FROM {table} NOT INDEXED LIMIT 1 OFFSET {row}").fetchone() or (
                    None,
                )
            except sqlite3.DataError:
                single.append(None)
                failed[i] += 1
                left_out.value(row, i)
                if failed[i] > _TRIES:
                    selected[i] = "NULL"
                    left_out.rest_of_column()
        yield tuple(single)
        row += 1


def _dtype(kinds: set[str]) -> DType:
    if kinds == {"integer"}:
        return "integer"
    return "float" if kinds == {"real"} else "string"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
