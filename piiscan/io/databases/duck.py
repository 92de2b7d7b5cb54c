"""DuckDB databases, and Parquet files that polars refuses, read by the optional package duckdb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core import shares
from piiscan.core.errors import MissingExtra, ReadError
from piiscan.core.types import DType, Field, ForeignKey, NotScanned, Referrer, TableInfo
from piiscan.io import asides
from piiscan.io.cells import literals, nested_values
from piiscan.io.cells.nested_values import Derived
from piiscan.io.cells.plain import text_of, texts_of
from piiscan.io.cells.typed import blocks
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

_FETCH: Final = 256
_INTEGERS = frozenset(("tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger"))
_TYPES: dict[str, DType] = {
    **dict.fromkeys((*_INTEGERS, "ubigint", "hugeint", "uhugeint", "bignum"), "integer"),
    **dict.fromkeys(("float", "double"), "float"),
    **dict.fromkeys(("varchar", "blob", "enum", "null", "uuid", "map"), "string"),
    **dict.fromkeys(
        ("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone"), "datetime"
    ),
    "boolean": "boolean",
    "date": "date",
}


def tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """Yield the tables of a DuckDB database, with what is in its write-ahead log, and the literals of its schema.

    The literals are those of defaults, checks, views, macros, comments and ENUM types. Raises `MissingExtra` without
    duckdb, and `ReadError`.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("DuckDB files need an optional package: pip install 'piiscan-toolkit[duckdb]'") from None
    try:
        with content.named() as path:
            connection = _connect(str(Path(path).resolve()))  # a log lies beside the file that a link points to
        notes = _claim(connection, content)
        found = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database() ORDER BY ALL"
        ).fetchall()
    except duckdb.Error:
        raise ReadError(
            "a DuckDB database that can't be opened: malformed, encrypted, in use, or of a newer version"
        ) from None
    for schema, name in found:
        shown = name if schema == "main" else f"{schema}.{name}"
        try:
            table = _table(connection, f"{quoted(schema)}.{quoted(name)}", content, shown, options)
            keys = tuple(_foreign_keys(connection, schema, name, table.info.fields))
            referrers = tuple(_referrers(connection, schema, name))
            table = table._replace(info=table.info._replace(foreign_keys=keys, referred_by=referrers))
            yield table._replace(info=table.info._replace(notes=notes))
        except (duckdb.Error, ReadError) as error:
            reason = str(error) if isinstance(error, ReadError) else "a table that can't be read; export it as Parquet"
            yield NotScanned(content.source, reason, shown)
    if options.asides:
        try:
            if texts := _said(connection):
                yield asides.texts(content, "information_schema", texts, copied=True)
        except duckdb.Error:
            yield NotScanned(content.source, "its schema can't be read; export it as SQL", "information_schema")


def _claim(connection: Any, content: Content) -> tuple[str, ...]:
    """Account for the blocks of the database; return what is uncertain about them."""
    ((size, blocks, free),) = connection.execute(
        "SELECT block_size, total_blocks, free_blocks FROM pragma_database_size() "
        "WHERE database_name = current_database()"
    ).fetchall()
    content.account.read(0, min(content.size, _HEADERS + size * blocks))
    return (
        (f"{free:,} free blocks may hold deleted rows, which weren't read; export the database and import it again",)
        if free
        else ()
    )


def _said(connection: Any) -> list[str]:
    """The texts in the schema that a person wrote, each once."""
    names = {name for columns in connection.execute(_NAMES).fetchall() for name in columns if name}
    statements = [sql for (sql,) in connection.execute(_STATEMENTS).fetchall() if sql]
    comments = [text for (text,) in connection.execute(_COMMENTS).fetchall() if text]
    return list(dict.fromkeys([*literals.of_sql(statements, names), *comments]))


def parquet(content: Content, options: ReadOptions, skip: int = 0) -> ReadTable:
    """The table of a Parquet file from row `skip` on, where no part of it is missing.

    Raises ImportError without duckdb, `ReadError`, and what duckdb raises.
    """
    connection = _connect(":memory:")
    path = str(content.for_polars()).replace("'", "''")
    # DuckDB takes wildcards in a name for a pattern.
    if any(mark in path for mark in "*?["):
        raise ReadError("a name with wildcards")
    with content.open() as file:
        file.seek(content.size - 8)
        end = content.size - 8 - int.from_bytes(file.read(4), "little")
    # DuckDB reads over what is missing: parts that would reach into the metadata, which comes last, were cut short.
    last = connection.execute(
        "SELECT max(least(coalesce(nullif(dictionary_page_offset, 0), data_page_offset), data_page_offset) + "
        "total_compressed_size) "
        f"FROM parquet_metadata(['{path}'])"
    ).fetchone()[0]
    if last is not None and last > end:
        raise ReadError("truncated Parquet: a part is missing; fetch or write it again")
    return _table(
        connection,
        f"(SELECT * FROM read_parquet(['{path}'], hive_partitioning = false) OFFSET {skip})",
        content,
        None,
        options,
    )


def _connect(path: str) -> Any:
    """A connection that streams in order and in bounded memory."""
    import duckdb

    inside = path == ":memory:"
    config: dict[str, Any] = {
        "threads": "1",
        "memory_limit": f"{shares.document() >> 20}MB",
        "max_temp_directory_size": "0KiB",
        "autoload_known_extensions": "false",
    }
    config |= {"autoinstall_known_extensions": "false"} | ({} if inside else {"enable_external_access": "false"})
    return duckdb.connect(path, read_only=not inside, config=config)


_HEADERS: Final = 3 * 4096
_KEYS: Final = (
    "SELECT constraint_column_names, referenced_table FROM duckdb_constraints() "
    "WHERE constraint_type = 'FOREIGN KEY' AND schema_name = ? AND table_name = ?"
)
_REFERRERS: Final = (
    "SELECT DISTINCT table_name FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' AND schema_name = $1 "
    "AND referenced_table = $2 AND table_name <> $2 ORDER BY ALL"
)
_COLUMNS: Final = (
    "SELECT column_name FROM duckdb_columns() WHERE schema_name = ? AND table_name = ? ORDER BY column_index"
)
_NAMES: Final = "SELECT schema_name, table_name, column_name FROM duckdb_columns()"
_STATEMENTS: Final = " UNION ALL ".join(
    f"SELECT {column} FROM {table}() WHERE {own}"
    for column, table, own in (
        ("sql", "duckdb_tables", "NOT internal"),
        ("sql", "duckdb_views", "NOT internal"),
        ("sql", "duckdb_indexes", "true"),
        ("macro_definition", "duckdb_functions", "NOT internal"),
        ("column_default", "duckdb_columns", "NOT internal"),
    )
)
_COMMENTS: Final = " UNION ALL ".join(
    [
        *(
            f"SELECT comment FROM duckdb_{kind}() WHERE NOT internal"
            for kind in ("tables", "views", "columns", "functions", "types", "schemas")
        ),
        *(f"SELECT comment FROM duckdb_{kind}()" for kind in ("indexes", "sequences")),
        "SELECT unnest(labels) FROM duckdb_types() WHERE NOT internal AND logical_type = 'ENUM'",
    ]
)


class StoredCells(NamedTuple):
    """One column as it is read: a column of the table, or a `path` of fields into one.

    `sql`: where its cells are; `selected`: in a type that Python has a plain value for; `kind`: the type they have.
    """

    path: tuple[str, ...]
    sql: str
    kind: Any

    @property
    def selected(self) -> str:
        return _cast(self.sql, self.kind)


class Stored(NamedTuple):
    """A stored table: its `relation`, its columns and their types, and the cells in them.

    The cells' rows become a frame; `derived` are columns of the cells that are lists of structs.
    """

    content: Content
    relation: str
    columns: tuple[tuple[str, Any], ...]
    cells: tuple[StoredCells, ...]
    derived: tuple[Derived, ...]
    batch_rows: int

    def frame(self, block: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
        import polars as pl

        native = {
            "boolean": pl.Boolean,
            "float": pl.Float64,
            **dict.fromkeys(_INTEGERS, pl.Int64),
            "double": pl.Float64,
        }
        schema = {
            str(i): pl.List(pl.String) if c.kind.id in ("list", "array") else native.get(c.kind.id, pl.String)
            for i, c in enumerate(self.cells)
        }
        convert: list[Any] = [texts_of if isinstance(dtype, pl.List) else None for dtype in schema.values()]
        for i, dtype in enumerate(schema.values()):
            if dtype == pl.String:
                convert[i] = text_of
        for d in self.derived:
            convert[d.parent] = lambda _: None
        data = {
            str(i): list(cells) if (to := convert[i]) is None else [to(cell) for cell in cells]
            for i, cells in enumerate(zip(*block, strict=True))
        }
        frame = pl.DataFrame(data, schema=schema)
        for d in self.derived:
            laid = nested_values.DerivedCells(d, maps=False)
            for row in block:
                laid.add(row[d.parent])
            frame = frame.hstack(laid.series(frame.width))
        return frame


def _table(connection: Any, relation: str, content: Content, name: str | None, options: ReadOptions) -> ReadTable:
    columns: list[StoredCells] = []

    def visit(path: tuple[str, ...], sql: str, kind: Any) -> None:
        if kind.id == "struct":
            for inner, its_kind in kind.children:
                visit((*path, inner), f"struct_extract({sql}, {literal(inner)})", its_kind)
        else:
            columns.append(StoredCells(path, sql, kind))

    described = connection.sql(f"SELECT * FROM {relation} LIMIT 0")
    whole = tuple(zip(described.columns, described.types, strict=True))
    for column, kind in whole:
        visit((column,), quoted(column), kind)
        if len(columns) > options.limits.columns:
            raise ReadError(f"more than {options.limits.columns} columns")
    derived = tuple(Derived(i, tuple(_paths(c.kind))) for i, c in enumerate(columns) if holds_structs(c.kind))
    if len(columns) + sum(len(d.names) for d in derived) > options.limits.columns:
        raise ReadError(f"more than {options.limits.columns} columns")
    fields = nested_values.fields([Field(".".join(c.path), _dtype(c.kind)) for c in columns], derived)
    stored = Stored(content, relation, whole, tuple(columns), derived, options.batch_rows)

    def frames(rows: int | None = None) -> Iterator[pl.DataFrame]:
        import duckdb

        limit = "" if rows is None else f" LIMIT {rows}"
        try:
            with content.open():  # an unnamed file lives as long as it is open
                result = connection.cursor().execute(
                    f"SELECT {', '.join(c.selected for c in columns)} FROM {relation}{limit}"
                )
                yield from map(stored.frame, blocks(_rows(result), options.batch_rows))
        except duckdb.Error:
            raise ReadError("malformed, or more than fits into memory; check it with its program") from None

    info = TableInfo(content.source, name, "duckdb" if name else "parquet", True, fields, describe(content))
    return ReadTable(info, frames, options.rows, stored if name else None, frames)


def _foreign_keys(connection: Any, schema: str, table: str, fields: Sequence[Field]) -> Iterator[ForeignKey]:
    """Those of one column, which refer to tables of the same schema."""
    import duckdb

    places = {field.name: i for i, field in enumerate(fields)}
    try:
        found = connection.execute(_KEYS, [schema, table]).fetchall()
        for columns, target in found:
            if len(columns) == 1 and columns[0] in places:
                there = connection.execute(_COLUMNS, [schema, target]).fetchall()
                yield ForeignKey(places[columns[0]], target, tuple(name for (name,) in there))
    except duckdb.Error:  # a schema that can't be read is said elsewhere
        return


def _referrers(connection: Any, schema: str, table: str) -> Iterator[Referrer]:
    """Yield the tables that refer to this one, all of the same schema."""
    import duckdb

    try:
        for (name,) in connection.execute(_REFERRERS, [schema, table]).fetchall():
            columns = connection.execute(_COLUMNS, [schema, name]).fetchall()
            yield Referrer(name, tuple(column for (column,) in columns))
    except duckdb.Error:  # a schema that can't be read is said elsewhere
        return


def _rows(result: Any) -> Iterator[tuple[Any, ...]]:
    while rows := result.fetchmany(_FETCH):
        yield from rows


def holds_structs(kind: Any) -> bool:
    """Whether a type is a list of structs, of which each field is laid out; maps and unions stay text."""
    while kind.id in ("list", "array"):
        kind = dict(kind.children)["child"]
        if kind.id == "struct":
            return not any(mark in str(kind).upper() for mark in ("MAP(", "UNION("))
    return False


def _paths(kind: Any, at: str = "") -> list[str]:
    """The paths in cells of a type, as `nested.leaves` has them without maps."""
    if kind.id in ("list", "array"):
        inner = dict(kind.children)["child"]
        return _paths(inner, at if inner.id in ("list", "array") else at + nested_values.EACH)
    if kind.id == "struct":
        return [path for name, inner in kind.children for path in _paths(inner, nested_values.step(at, name))]
    return [at]


def _dtype(kind: Any) -> DType:
    if kind.id == "decimal":
        return "float" if dict(kind.children)["scale"] else "integer"
    return _TYPES.get(kind.id, "other")


def _cast(sql: str, kind: Any) -> str:
    """The column in a type that Python has a plain value for; text for the others, of JSON for maps."""
    if kind.id in _INTEGERS or kind.id in ("float", "double", "boolean", "varchar", "blob") or holds_structs(kind):
        return sql
    if kind.id in ("list", "array"):
        return f"CAST({sql} AS {'BLOB' if dict(kind.children)['child'].id == 'blob' else 'VARCHAR'}[])"
    return f"CAST({f'to_json({sql})' if kind.id == 'map' else sql} AS VARCHAR)"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
