"""DuckDB databases: a new one with the schema of the old, into which only what stays and what is new is ever written.

A changed copy would keep old cells in free blocks. So tables, views, types, sequences and macros come from `COPY FROM
DATABASE … (SCHEMA)`; what isn't to come along is taken out of them in memory first; then the rows are inserted, and the
indexes are made again. The file that gets the output's name is a copy by another process (`duckdb_copy`).
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from piiscan.core import shares
from piiscan.core.errors import TableRefusal, UsageError, WriteError
from piiscan.core.types import Batch, DType, TableInfo
from piiscan.io.cells.nested_values import owner
from piiscan.io.content import ReadTable
from piiscan.io.databases.duck import Stored, StoredCells, literal, quoted
from piiscan.io.write.change import Change, Changed, applied, where
from piiscan.io.write.duck_lists import fits_inside, lists, structure
from piiscan.io.write.duckdb_copy import SETTINGS, copied
from piiscan.io.write.refusals import refused
from piiscan.io.write.structs import ListOfStructs, firsts

if TYPE_CHECKING:
    import polars as pl

_TYPES: Final[dict[DType, str]] = {
    "string": "VARCHAR",
    "integer": "BIGINT",
    "float": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
}
_TEXT_LIST: Final = "VARCHAR[]"
_TEXTS: Final = ("enum", "uuid")
"""Types that hold few texts only: changed columns of them become VARCHAR."""
_CELLS: Final = "piiscan_cells"


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """All tables of a database, with whatever else it defines."""
    import duckdb

    database_info = tables[0].info._replace(table=None)
    stored: Stored = tables[0].origin
    config: dict[str, Any] = {
        **SETTINGS,
        "memory_limit": f"{shares.room() * 3 // 4 >> 20}MB",
        "pandas_analyze_sample": "0",
    }
    with (
        copied(target, database_info) as first,
        stored.content.named() as path,
        duckdb.connect(":memory:", config=config) as connection,
    ):
        with _failing(database_info):
            connection.execute(f"ATTACH {literal(path)} AS piiscan_old (READ_ONLY)")
            connection.execute(f"ATTACH {literal(str(first))} AS piiscan_new")
            connection.execute("ATTACH ':memory:' AS piiscan_plan")
            connection.execute("SET enable_external_access = false")
            connection.execute("COPY FROM DATABASE piiscan_old TO piiscan_plan (SCHEMA)")
            indexes = _without_indexes(connection)
        for table, change in zip(tables, changes, strict=True):
            if change is not None:
                with _failing(table.info):
                    _planned(connection, table, change)
        with _failing(database_info):
            connection.execute("COPY FROM DATABASE piiscan_plan TO piiscan_new (SCHEMA)")
            order = _in_order(connection, tables, changes)
            connection.execute("BEGIN")
        for table, change in order:
            with _failing(table.info):
                _filled(connection, table, change)
        with _failing(database_info):
            for schema, sql in indexes:
                connection.execute(f"USE piiscan_new.{quoted(schema)}")
                connection.execute(sql)
            connection.execute("COMMIT")
            connection.execute("USE memory")
            connection.execute("CHECKPOINT piiscan_new")
            connection.execute("DETACH piiscan_new")


def _without_indexes(connection: Any) -> list[tuple[str, str]]:
    """Columns with an index can't be changed: each index's schema and the statement that makes it, for later."""
    found = connection.execute(
        "SELECT schema_name, index_name, sql FROM duckdb_indexes() WHERE database_name = 'piiscan_plan' ORDER BY ALL"
    ).fetchall()
    for schema, name, _ in found:
        connection.execute(f"DROP INDEX piiscan_plan.{quoted(schema)}.{quoted(name)}")
    return [(schema, sql) for schema, _, sql in found]


def _planned(connection: Any, table: ReadTable, change: Change) -> None:
    """The table without the columns that go, and with types that new cells have a place in."""
    import duckdb

    stored: Stored = table.origin
    info, cells = table.info, stored.cells
    _refuse_names(table, change)
    for i, sql in [*_dropped(table, change), *_retyped(table, change)]:
        try:
            connection.execute(f"ALTER TABLE piiscan_plan.{stored.relation} {sql}")
        except duckdb.Error:
            raise TableRefusal(
                f"{where(info)}, column {i}: a key, a constraint or another table needs it as it is; choose an "
                "operator that keeps its type"
            ) from None
    same = {column.origin for column in change.columns if column.same}
    _without_labels(connection, [c.kind for i, c in enumerate(cells) if i not in same])


def _refuse_names(table: ReadTable, change: Change) -> None:
    """Raise `UsageError` for a new name of a column, and `WriteError` for a name that rows are numbered by."""
    fields = table.info.fields
    if any(column.field.name != fields[column.origin].name for column in change.columns):
        raise UsageError(f"{where(table.info)}: columns of a database keep their names")
    if any(c.path[0].lower() == "rowid" for c in table.origin.cells):
        what = "a column is named rowid, the name of DuckDB's row numbers; rename it first"
        raise WriteError(f"{where(table.info)}: {what}")


def _dropped(table: ReadTable, change: Change) -> Iterator[tuple[int, str]]:
    """The columns that go, and the SQL that drops them. Raises `TableRefusal` for a field of a struct."""
    left = {column.origin for column in change.columns}
    gone = [(i, c.path) for i, c in enumerate(table.origin.cells) if i not in left]
    for i, path in gone:
        if len(path) > 1:
            raise TableRefusal(
                f"{where(table.info)}, column {i}: a field of a struct can't be dropped; give it other values instead"
            )
    for i, path in gone:
        yield i, f"DROP COLUMN {quoted(path[0])}"


def _retyped(table: ReadTable, change: Change) -> Iterator[tuple[int, str]]:
    """The columns whose new cells need another type, and the SQL that gives it to them."""
    stored: Stored = table.origin
    derived = owner(stored.derived, len(stored.cells))
    for column in change.columns:
        if column.origin in derived:
            fits_inside(table, column, *derived[column.origin])
            continue
        kind = _new_type(table, column.origin, column.field.dtype, column.same)
        if kind is not None:
            yield column.origin, f"ALTER {quoted(stored.cells[column.origin].path[0])} SET DATA TYPE {kind}"


def _new_type(table: ReadTable, i: int, dtype: DType, same: bool) -> str | None:
    """The SQL type that a column needs for its new cells; None where it has it.

    Raises `TableRefusal` for a field of a struct, which keeps its type.
    """
    stored: Stored = table.origin
    cells = stored.cells[i]
    lists_values = "ENUM(" in str(cells.kind).upper()
    if cells.kind.id in ("list", "array") and not (lists_values or same) and dtype == "string" and len(cells.path) == 1:
        return None if str(cells.kind).upper() == _TEXT_LIST else _TEXT_LIST
    if same or (dtype == table.info.fields[i].dtype and cells.kind.id not in _TEXTS and not lists_values):
        return None
    if len(cells.path) > 1 or dtype not in _TYPES or (lists_values and cells.kind.id != "enum"):
        raise TableRefusal(
            f"{where(table.info)}, column {i}: it would need another type, which it can't get within a struct "
            "or a list; change its type first"
        )
    return _TYPES[dtype]


def _without_labels(connection: Any, kinds: Sequence[Any]) -> None:
    """An ENUM type lists its values: those of changed columns go."""
    gone = [list(dict(kind.children)["values"]) for kind in kinds if kind.id == "enum"]
    types = connection.execute(
        "SELECT schema_name, type_name, labels FROM duckdb_types() WHERE database_name = 'piiscan_plan' AND "
        "logical_type = 'ENUM' AND NOT internal"
    ).fetchall()
    for schema, name, labels in types:
        if labels in gone:
            connection.execute(f"DROP TYPE IF EXISTS piiscan_plan.{quoted(schema)}.{quoted(name)}")


def _in_order(
    connection: Any, tables: Sequence[ReadTable], changes: Sequence[Change | None]
) -> list[tuple[ReadTable, Change | None]]:
    """As they were made, so that what a foreign key names is there before it."""
    rows = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'piiscan_old' ORDER BY table_oid"
    ).fetchall()
    at = {f"{quoted(schema)}.{quoted(name)}": n for n, (schema, name) in enumerate(rows)}
    return sorted(zip(tables, changes, strict=True), key=lambda pair: at[pair[0].origin.relation])


def _filled(connection: Any, table: ReadTable, change: Change | None) -> None:
    """The rows, in their order; what stays never leaves DuckDB."""
    stored: Stored = table.origin
    kinds = _stored_columns(connection, stored.relation)
    if change is None:
        into = ", ".join(map(quoted, kinds))
        connection.execute(
            f"INSERT INTO piiscan_new.{stored.relation} ({into}) SELECT {into} FROM piiscan_old.{stored.relation}"
        )
        return
    selected = ", ".join(c.selected for c in stored.cells)
    structs = {
        d.parent: made
        for d, first in zip(stored.derived, firsts(stored.derived, len(stored.cells)), strict=True)
        if (made := ListOfStructs(d, first, change)).touches and any(c.origin == d.parent for c in change.columns)
    }
    result = connection.cursor().execute(f"SELECT rowid, {selected} FROM piiscan_old.{stored.relation}")
    insert = _insert(table, change, kinds, structs, _required(connection, stored.relation))
    at = 0
    while block := result.fetchmany(stored.batch_rows):
        frame = stored.frame([row[1:] for row in block])
        changed = applied(change, Batch(frame, at), table.info)
        at += len(block)
        columns = _columns([row[0] for row in block], frame, changed, change, len(stored.cells))
        rows = block if changed.kept is None else [block[i] for i in changed.kept.arg_true().to_list()]
        columns |= {f"l{i}": lists(made, [row[1 + i] for row in rows], changed) for i, made in structs.items()}
        connection.register(_CELLS, columns)
        connection.execute(insert, {"low": block[0][0], "high": block[-1][0]})
        connection.unregister(_CELLS)


def _stored_columns(connection: Any, relation: str) -> dict[str, str]:
    """The columns that the new table has, but for generated ones, and their types."""
    generated = connection.execute(
        "SELECT table_schema, table_name, column_name FROM information_schema.columns WHERE table_catalog = "
        "'piiscan_new' AND is_generated = 'ALWAYS'"
    ).fetchall()
    skip = {name for schema, table, name in generated if f"{quoted(schema)}.{quoted(table)}" == relation}
    described = connection.sql(f"SELECT * FROM piiscan_new.{relation} LIMIT 0")
    return {name: str(kind) for name, kind in zip(described.columns, described.types, strict=True) if name not in skip}


def _required(connection: Any, relation: str) -> set[str]:
    """The columns of text and bytes that are NOT NULL."""
    columns = connection.execute(
        "SELECT table_schema, table_name, column_name FROM information_schema.columns WHERE table_catalog = "
        "'piiscan_new' AND is_nullable = 'NO' AND data_type IN ('VARCHAR', 'BLOB')"
    ).fetchall()
    return {name for schema, table, name in columns if f"{quoted(schema)}.{quoted(table)}" == relation}


def _insert(
    table: ReadTable, change: Change, kinds: dict[str, str], structs: Collection[int], required: Collection[str]
) -> str:
    """The statement that writes a batch: rows are found again by their numbers.

    An emptied cell of a column that is `required` is an empty text.
    """
    stored: Stored = table.origin
    new = {
        stored.cells[column.origin].path: (f"n.v{i}", f"n.s{i}", stored.cells[column.origin])
        for i, column in enumerate(change.columns)
        if not column.same and column.origin < len(stored.cells) and column.origin not in structs
    }
    whole_cells = {stored.cells[i].path: (f"n.l{i}", stored.cells[i].kind) for i in structs}

    def cell(path: tuple[str, ...], old: str, kind: Any, into: str) -> str:
        if path in whole_cells:
            text, whole = whole_cells[path]
            return f"CAST(from_json({text}, {literal(json.dumps(structure(whole)))}) AS {into})"
        if path in new:
            text, stays, cells = new[path]
            made = f"CAST({_value(text, cells)} AS {into})"
            made = f"coalesce({made}, '')" if path[0] in required and len(path) == 1 else made
            return made if into == "VARCHAR" else f"CASE WHEN {stays} THEN {old} ELSE {made} END"
        if kind.id != "struct" or not any(p[: len(path)] == path for p in (*new, *whole_cells)):
            return old
        fields = ", ".join(
            f"{quoted(name)} := {cell((*path, name), f'struct_extract({old}, {literal(name)})', inner, str(inner))}"
            for name, inner in kind.children
        )
        return f"CASE WHEN {old} IS NULL THEN NULL ELSE struct_pack({fields}) END"

    whole = dict(stored.columns)
    values = ", ".join(cell((name,), f"o.{quoted(name)}", whole[name], into) for name, into in kinds.items())
    return (
        f"INSERT INTO piiscan_new.{stored.relation} ({', '.join(map(quoted, kinds))}) SELECT {values} "
        f"FROM (SELECT rowid AS piiscan_row, * FROM piiscan_old.{stored.relation} WHERE rowid BETWEEN $low AND "
        "$high) o "
        f"JOIN {_CELLS} n ON o.piiscan_row = n.piiscan_row ORDER BY o.piiscan_row"
    )


def _value(text: str, cells: StoredCells) -> str:
    """A new cell, which comes as text, as a value that its type can be cast from."""
    if cells.kind.id == "blob":
        return f"encode({text})"
    if cells.kind.id == "map":
        return f"CAST({text} AS JSON)"
    if cells.kind.id in ("list", "array"):
        return f"""from_json({text}, '["VARCHAR"]')"""
    return text


def _columns(rows: list[int], frame: pl.DataFrame, changed: Changed, change: Change, own: int) -> dict[str, Any]:
    """A batch's new cells as arrays of texts, beside the numbers of their rows, and whether each is what it was."""
    import numpy as np
    import polars as pl

    numbers = np.array(rows, dtype=np.int64)
    if changed.kept is not None:
        numbers, frame = numbers[changed.kept.to_numpy()], frame.filter(changed.kept)
    out: dict[str, Any] = {"piiscan_row": numbers}
    for i, column in enumerate(change.columns):
        if not column.same and column.origin < own:
            cells, old = changed.frame[str(i)], frame.to_series(column.origin)
            is_list = isinstance(cells.dtype, pl.List)
            texts = (
                [None if c is None else json.dumps(c) for c in cells.to_list()]
                if is_list
                else cells.cast(pl.String).to_list()
            )
            array = np.empty(len(texts), dtype=object)
            array[:] = texts
            out[f"v{i}"] = array
            out[f"s{i}"] = (
                np.zeros(len(texts), dtype=bool) if cells.dtype != old.dtype else cells.eq_missing(old).to_numpy()
            )
    return out


@contextmanager
def _failing(info: TableInfo) -> Iterator[None]:
    """DuckDB's errors without their messages, which quote cells."""
    import duckdb

    try:
        yield
    except duckdb.ConstraintException as error:
        raise refused(info, str(error)) from None
    except (duckdb.ConversionException, duckdb.OutOfRangeException):
        raise TableRefusal(
            f"{where(info)}: a new value has no place in its column's type; choose an operator that keeps the "
            "type, or a wider type"
        ) from None
    except duckdb.Error as error:
        if isinstance(error, duckdb.IOException) and "No space left" in str(error):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
        raise WriteError(
            f"{where(info)}: DuckDB {duckdb.__version__} can't write it ({type(error).__name__})"
        ) from None
