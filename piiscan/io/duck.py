"""DuckDB databases: every table, by the optional package duckdb."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from piiscan.errors import MissingExtra, ReadError
from piiscan.io.content import Content, ReadTable
from piiscan.io.options import ReadOptions
from piiscan.io.typed import layout
from piiscan.types import NotScanned, TableInfo

if TYPE_CHECKING:
    import polars as pl

# Types that come over Arrow as themselves; the others are asked for as text.
_PLAIN = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "FLOAT",
    "DOUBLE",
    "BOOLEAN",
    "VARCHAR",
    "DATE",
    "BLOB",
)


def tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """The tables of a database, by schema and name. Raises `MissingExtra` without duckdb, and `ReadError`."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("DuckDB files need an optional package: pip install 'piiscan-toolkit[duckdb]'") from None
    if content.path is None:
        raise ReadError("a DuckDB database inside an archive or stream; unpack it first")
    try:
        with closing(_connect(content)) as connection:
            found = connection.execute(
                "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database() ORDER BY ALL"
            ).fetchall()
    except duckdb.Error:
        raise ReadError("a DuckDB database that can't be opened: malformed, encrypted, in use, or of a newer version") from None
    for schema, name in found:
        shown = name if schema == "main" else f"{schema}.{name}"
        try:
            yield _table(content, schema, name, shown, options)
        except (duckdb.Error, ReadError):
            yield NotScanned(content.source, "a table that can't be read; export it as Parquet", shown)


def _connect(content: Content) -> Any:
    import duckdb

    return duckdb.connect(str(content.path), read_only=True, config={"enable_external_access": "false"})


def _table(content: Content, schema: str, name: str, shown: str, options: ReadOptions) -> ReadTable:
    import polars as pl

    table = f"{_quoted(schema)}.{_quoted(name)}"
    with closing(_connect(content)) as connection:
        columns = [(row[0], row[1]) for row in connection.execute(f"DESCRIBE {table}").fetchall()]
        asked = ", ".join(_quoted(c) if _is_plain(t) else f"CAST({_quoted(c)} AS VARCHAR) AS {_quoted(c)}" for c, t in columns)
        plan = layout(pl.DataFrame(connection.sql(f"SELECT {asked} FROM {table} LIMIT 0")).schema, options.limits.columns)
        last = connection.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0]
    info = TableInfo(content.source, shown, "duckdb", True, plan.fields)

    def frames() -> Iterator[pl.DataFrame]:
        with closing(_connect(content)) as connection:
            for start in range(0, -1 if last is None else last + 1, options.batch_rows):
                part = connection.sql(
                    f"SELECT {asked} FROM {table} WHERE rowid >= {start} AND rowid < {start + options.batch_rows} ORDER BY rowid"
                )
                yield plan.apply(pl.DataFrame(part))

    return ReadTable(info, frames, options.rows)


def _is_plain(dtype: str) -> bool:
    base = dtype.removesuffix("[]")
    return base in _PLAIN or base.startswith(("DECIMAL", "TIMESTAMP")) or (dtype.startswith("STRUCT(") and dtype.endswith(")"))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
