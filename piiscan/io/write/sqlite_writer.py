"""SQLite databases: a copy in which the rows of changed tables are written afresh.

Nothing of the old rows is left in it.
"""

from __future__ import annotations

import datetime
import errno
import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from piiscan.core.errors import ReadError, TableRefusal, UsageError, WriteError
from piiscan.core.types import Batch, TableInfo
from piiscan.io.content import ReadTable
from piiscan.io.databases.sqlite import Stored, quoted
from piiscan.io.write.change import Change, Changed, applied, where
from piiscan.io.write.refusals import refused

_ROWID = ("rowid", "_rowid_", "oid")
_GENERATED = (2, 3)


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """All tables of a database, with its indexes, views and triggers."""
    stored: Stored = tables[0].origin
    database_info = tables[0].info._replace(table=None)
    source = stored.database.connection
    with closing(sqlite3.connect(target, isolation_level=None)) as copy:
        with _failing(database_info):
            if source.execute("SELECT 1 FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%' LIMIT 1").fetchone():
                raise ReadError(
                    "a database with virtual tables, whose hidden tables keep copies of cells; drop them first"
                )
            source.backup(copy)
            # Nobody needs to undo anything here: a copy that isn't finished is thrown away.
            for pragma in (
                "journal_mode = DELETE",
                "journal_mode = OFF",
                "synchronous = OFF",
                "secure_delete = ON",
                "foreign_keys = OFF",
            ):
                copy.execute(f"PRAGMA {pragma}").fetchall()
            triggers = copy.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            copy.execute("BEGIN")
            for name, _ in triggers:
                copy.execute(f"DROP TRIGGER {quoted(name)}")
        for table, change in zip(tables, changes, strict=True):
            if change is not None:
                with _failing(table.info):
                    _rewritten(copy, table, change)
        with _failing(database_info):
            for _, sql in triggers:
                copy.execute(sql)
            statistics = [
                name
                for (name,) in copy.execute(
                    "SELECT name FROM sqlite_master WHERE name LIKE 'sqlite\\_stat%' ESCAPE '\\'"
                )
            ]
            for name in statistics:  # they hold cells
                copy.execute(f"DELETE FROM {name}")
            copy.execute("COMMIT")
            copy.execute("VACUUM")
            if statistics:
                copy.execute("ANALYZE")


def _rewritten(copy: sqlite3.Connection, table: ReadTable, change: Change) -> None:
    """All rows go and come back: keys may take each other's values, which updates one by one couldn't do."""
    stored: Stored = table.origin
    info, name = table.info, quoted(table.info.table or "")
    names = [field.name or "" for field in info.fields]
    described = {row[1]: row for row in copy.execute(f"PRAGMA table_xinfo({name})")}
    if any(column.field.name != names[column.origin] for column in change.columns):
        raise UsageError(f"{where(info)}: columns of a database keep their names")
    rowid = _rowid(copy, name, described)
    origins = [column.origin for column in change.columns if described[names[column.origin]][6] not in _GENERATED]
    copy.execute(f"DELETE FROM {name}")
    for i, column_name in enumerate(names):
        if i not in {column.origin for column in change.columns}:
            try:
                copy.execute(f"ALTER TABLE {name} DROP COLUMN {quoted(column_name)}")
            except sqlite3.OperationalError:
                raise TableRefusal(
                    f"{where(info)}, column {i}: can't be dropped: a key, an index, a view or another table "
                    "needs it; give it other values instead"
                ) from None
    required = {i for i in origins if described[names[i]][3]}
    into = [*([rowid] if rowid else []), *(quoted(names[i]) for i in origins)]
    insert = f"INSERT INTO {name} ({', '.join(into)}) VALUES ({', '.join('?' * len(into))})"
    # Not by an index that has every column: the rows would come in another order.
    found = stored.database.connection.execute(f"SELECT {f'{rowid}, ' if rowid else ''}* FROM {name} NOT INDEXED")
    first, row = int(bool(rowid)), 0
    while rows := found.fetchmany(stored.batch_rows):
        frame = stored.frame([cells[first:] for cells in rows])
        changed = applied(change, Batch(frame, row), info)
        row += len(rows)
        copy.executemany(insert, _rows(rows, frame, changed, change, origins, first, required))


def _rowid(copy: sqlite3.Connection, name: str, columns: dict[str, Any]) -> str | None:
    """The name of the row number, where a table has one that is no column."""
    keys = [row for row in columns.values() if row[5]]
    if len(keys) == 1 and keys[0][2].upper() == "INTEGER":
        return None
    free = next((word for word in _ROWID if word not in {column.lower() for column in columns}), None)
    if free is None:
        return None
    try:
        copy.execute(f"SELECT {free} FROM {name} LIMIT 0")
    except sqlite3.OperationalError:
        return None
    return free


def _rows(
    rows: Sequence[tuple[Any, ...]],
    frame: Any,
    changed: Changed,
    change: Change,
    origins: Sequence[int],
    first: int,
    required: Collection[int],
) -> Iterator[tuple[Any, ...]]:
    """The rows to insert: cells that stay as they were stored, new ones as what they replace.

    `required`: columns that are NOT NULL, in which an emptied text is an empty one.
    """
    if changed.kept is not None:
        rows = [rows[i] for i in changed.kept.arg_true().to_list()]
        frame = frame.filter(changed.kept)
    new: dict[int, tuple[list[Any], list[bool]]] = {}
    for i, column in enumerate(change.columns):
        if not column.same and column.origin in origins:
            cells, old = changed.frame[str(i)], frame.to_series(column.origin)
            stays = [False] * cells.len() if cells.dtype != old.dtype else cells.eq_missing(old).to_list()
            new[column.origin] = (cells.to_list(), stays)
    for at, row in enumerate(rows):
        yield (
            *row[:first],
            *(
                _stored(row[first + i], new[i][0][at], i in required)
                if i in new and not new[i][1][at]
                else row[first + i]
                for i in origins
            ),
        )


def _stored(old: Any, new: Any, required: bool) -> Any:
    if new is None and required and isinstance(old, str | bytes):
        return type(old)()
    if isinstance(new, datetime.date | datetime.time):
        return new.isoformat()
    if isinstance(old, bytes) and isinstance(new, str):
        return new.encode()
    if isinstance(old, int | float) and isinstance(new, str):
        try:
            number = type(old)(new)
        except ValueError:
            return new
        return number if str(number) == new else new
    return new


@contextmanager
def _failing(info: TableInfo) -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise refused(info, str(error)) from None
    except sqlite3.Error as error:
        if (code := _of_the_disk(getattr(error, "sqlite_errorcode", 0))) is not None:
            raise OSError(code, os.strerror(code)) from None
        raise WriteError(
            f"{where(info)}: SQLite can't write it ({getattr(error, 'sqlite_errorname', type(error).__name__)})"
        ) from None


def _of_the_disk(code: int) -> int | None:
    """What the operating system is taken to have said, where it isn't the database's fault.

    Raises `ReadError` where the input can't be read.
    """
    if code in (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ):
        raise ReadError(f"can't be read: {os.strerror(errno.EIO)}")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE):
        return errno.ENOSPC
    by_kind = {
        sqlite3.SQLITE_IOERR: errno.EIO,
        sqlite3.SQLITE_CANTOPEN: errno.EIO,
        sqlite3.SQLITE_READONLY: errno.EROFS,
    }
    return by_kind.get(code & 0xFF)
