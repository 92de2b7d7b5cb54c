"""Records (JSON objects, Avro records) as tables: a first pass fixes columns and types, a second one gives the cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from piiscan.errors import ReadError
from piiscan.io.content import ReadTable
from piiscan.io.header import kind
from piiscan.io.options import ReadOptions
from piiscan.io.typed import text_of
from piiscan.types import DType, Field, TableInfo

if TYPE_CHECKING:
    import polars as pl

Record = Mapping[str, Any]
_I64 = range(-(1 << 63), 1 << 63)
UNNAMED = "\0"
"""How the key of a column without a name begins."""
VALUE = UNNAMED
"""The key of a value that is no object."""


def record_table(
    source: str,
    table: str | None,
    format_: str,
    read: Callable[[], Iterable[Record]],
    options: ReadOptions,
    details: tuple[tuple[str, str], ...] = (),
) -> ReadTable:
    """The table of records that `read` gives afresh on each call.

    Nested objects become dotted paths in order of first appearance. A column of integers, of floats or of booleans keeps
    its type; any mixture is text. Raises what `read` does, and `ReadError` above `limits.columns`.
    """
    columns: dict[tuple[str, ...], set[str]] = {}
    for record in read():
        for path, value in flatten(record):
            known = columns.get(path)
            if known is None:
                known = columns[path] = set()
                if len(columns) > options.limits.columns:
                    raise ReadError(f"more than {options.limits.columns} columns: keys that are values; reshape it to rows")
            if value is not None:
                known.add(_type(value))
    types = [_column_type(types) for types in columns.values()]
    fields = tuple(
        Field(None if path[-1].startswith(UNNAMED) else ".".join(path), dtype) for path, dtype in zip(columns, types, strict=True)
    )
    index = {path: i for i, path in enumerate(columns)}

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        schema = {str(i): {"integer": pl.Int64, "float": pl.Float64, "boolean": pl.Boolean}.get(t, pl.String) for i, t in enumerate(types)}
        keep = [t in ("integer", "float", "boolean") for t in types]
        rows = iter(read())
        while block := list(islice(rows, options.batch_rows)):
            data: list[list[Any]] = [[None] * len(block) for _ in types]
            for at, record in enumerate(block):
                for path, value in flatten(record):
                    i = index[path]
                    data[i][at] = value if keep[i] else text_of(value)
            yield pl.DataFrame({str(i): column for i, column in enumerate(data)}, schema=schema)

    return ReadTable(TableInfo(source, table, format_, any(f.name is not None for f in fields), fields, details), frames, options.rows)


def flatten(record: Record, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of a record with their paths. A map from values (ids, addresses, dates) to anything stays one value."""
    for key, value in record.items():
        path = (*prefix, key)
        if isinstance(value, dict) and value and not is_map(value):
            yield from flatten(value, path)
        else:
            yield path, None if value == {} else value


def is_map(record: Record) -> bool:
    """Whether an object's keys are values themselves, such as addresses, numbers or dates."""
    keys = [kind(key) for key in islice(record, 50)]
    return bool(keys) and 2 * sum(look in ("email", "number", "code", "date", "url") for look in keys) > len(keys)


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if value in _I64 else "text"
    if isinstance(value, float):
        return "float"
    return "text" if isinstance(value, str) else "other"


def _column_type(types: set[str]) -> DType:
    if len(types) != 1:
        return "string"
    (only,) = types
    return {"boolean": "boolean", "integer": "integer", "float": "float", "other": "other"}.get(only, "string")  # type: ignore[return-value]
