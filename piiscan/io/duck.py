"""DuckDB databases: every table, by the optional package duckdb."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from piiscan.errors import MissingExtra, ReadError
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.options import ReadOptions
from piiscan.io.records import Record, record_table
from piiscan.types import NotScanned

_ROWS = 10_000


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
    import duckdb

    table = f"{_quoted(schema)}.{_quoted(name)}"
    with closing(_connect(content)) as connection:
        described = connection.execute(f"DESCRIBE {table}").fetchall()
    columns = [row[0] for row in described]

    def read() -> Iterator[Record]:
        with closing(_connect(content)) as connection:
            try:
                result = connection.execute(f"SELECT * FROM {table}")
                while rows := result.fetchmany(_ROWS):
                    for row in rows:
                        yield dict(zip(columns, row, strict=True))
            except duckdb.Error:
                raise ReadError("malformed table; check the database with its program") from None

    return record_table(content.source, shown, "duckdb", read, options, describe(content), columns)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
