"""Records (JSON objects, Avro records) as tables: a first pass fixes columns and types, a second one gives the cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from piiscan.errors import ReadError
from piiscan.io.content import ReadTable
from piiscan.io.header import kind
from piiscan.io.options import ReadOptions
from piiscan.io.typed import BATCH_BYTES, LISTS, text_of, texts_of
from piiscan.types import DType, Field, TableInfo

if TYPE_CHECKING:
    import polars as pl

Record = Mapping[str, Any]
_I64 = range(-(1 << 63), 1 << 63)
UNNAMED = "\0"
"""How the key of a column without a name begins."""
VALUE = UNNAMED
"""The key of a value that is no object."""
MANY = 50
"""An object with so many objects in it is a table, and with ten times as many keys a map, whatever the keys look like."""


def record_table(
    source: str,
    table: str | None,
    format_: str,
    read: Callable[[], Iterable[Record]],
    options: ReadOptions,
    details: tuple[tuple[str, str], ...] = (),
    columns_first: Sequence[str] = (),
) -> ReadTable:
    """The table of records that `read` gives afresh on each call.

    Nested objects become dotted paths in order of first appearance. A column of one plain type keeps it; any mixture is text,
    and with lists in it, lists of texts. `origin` holds the columns' paths. `columns_first` are known before any record. Raises what `read` does, and `ReadError` above `limits.columns`.
    """
    columns: dict[tuple[str, ...], set[str]] = {(name,): set() for name in columns_first}
    for record in read():
        for path, value in flatten(record):
            known = columns.get(path)
            if known is None:
                known = columns[path] = set()
                if len(columns) > options.limits.columns:
                    raise ReadError(f"more than {options.limits.columns} columns: keys that are values; reshape it to rows")
            if type(value) is str:
                known.add("text")
            elif value is not None:
                known.add(_type(value))
    if columns_first:
        place = {name: i for i, name in enumerate(columns_first)}
        nested = {path[0] for path in columns if len(path) > 1}
        ordered = sorted(columns, key=lambda path: place.get(path[0], len(place)))
        columns = {path: columns[path] for path in ordered if len(path) > 1 or path[0] not in nested or columns[path]}
    types = [_column_type(types) for types in columns.values()]
    fields = tuple(
        Field(None if path[-1].startswith(UNNAMED) else ".".join(path), dtype) for path, dtype in zip(columns, types, strict=True)
    )
    index = {path: i for i, path in enumerate(columns)}

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        native: dict[DType, Any] = {
            "integer": pl.Int64,
            "float": pl.Float64,
            "boolean": pl.Boolean,
            "date": pl.Date,
            "datetime": pl.Datetime("us"),
        }
        schema = {str(i): pl.List(pl.String) if t == "other" else native.get(t, pl.String) for i, t in enumerate(types)}
        convert = [texts_of if t == "other" else None if t in native else text_of for t in types]
        data: list[list[Any]] = [[] for _ in types]
        height = held = 0

        def frame() -> pl.DataFrame:
            for column in data:
                column.extend([None] * (height - len(column)))
            return pl.DataFrame({str(i): column for i, column in enumerate(data)}, schema=schema)

        for record in read():
            for path, value in flatten(record):
                i = index[path]
                column = data[i]
                if len(column) < height:
                    column.extend([None] * (height - len(column)))
                cell = value if (to := convert[i]) is None else to(value)
                column.append(cell)
                if type(cell) is str:
                    held += len(cell)
            height += 1
            held += 8 * len(types)
            if height == options.batch_rows or held > BATCH_BYTES:
                yield frame()
                data = [[] for _ in types]
                height = held = 0
        if height:
            yield frame()

    info = TableInfo(source, table, format_, any(f.name is not None for f in fields), fields, details)
    return ReadTable(info, frames, options.rows, tuple(columns))


def flatten(record: Record, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of a record with their paths. A map from values (ids, addresses, dates) to anything stays one value."""
    for key, value in record.items():
        if type(value) is dict:
            if value and not is_map(value):
                yield from flatten(value, (*prefix, key))
            else:
                yield (*prefix, key), value or None
        else:
            yield (*prefix, key), value


def is_map(record: Record) -> bool:
    """Whether an object's keys are values themselves, such as addresses, numbers or dates."""
    return len(record) > 10 * MANY or _are_values(tuple(islice(record, MANY)))


@lru_cache(maxsize=4096)
def _are_values(keys: tuple[str, ...]) -> bool:
    looks = [kind(key) for key in keys]
    return bool(keys) and 2 * sum(look in ("email", "number", "code", "date", "url") for look in looks) > len(looks)


_TYPES: dict[type, str] = {str: "text", bool: "boolean", float: "float", date: "date", **dict.fromkeys(LISTS, "list")}


def _type(value: Any) -> str:
    kind_of_it = type(value)
    if kind_of_it is int:
        return "integer" if value in _I64 else "text"
    if kind_of_it is datetime:
        return "text" if value.tzinfo else "datetime"
    return _TYPES.get(kind_of_it, "text")


def _column_type(types: set[str]) -> DType:
    """The type of a column whose values are of these types."""
    if "list" in types:
        return "other"
    if len(types) != 1:
        return "string"
    (only,) = types
    return "string" if only == "text" else cast(DType, only)
