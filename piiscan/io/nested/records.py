"""Records (JSON objects, Avro records) as tables: a first pass fixes columns and types, a second one gives the
cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from piiscan.core.batches import BATCH_BYTES
from piiscan.core.errors import ReadError
from piiscan.core.types import DType, Field, TableInfo
from piiscan.io.cells import nested_values
from piiscan.io.cells.nested_values import EACH, REST, Cells, Derived, is_container, is_map
from piiscan.io.cells.plain import LISTS, text_of, texts_of
from piiscan.io.content import ReadTable
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

Record = Mapping[str, Any]
_I64 = range(-(1 << 63), 1 << 63)
UNNAMED = "\0"
"""How the key of a column without a name begins."""
VALUE = UNNAMED
"""The key of a value that is no object."""


class Paths(NamedTuple):
    """Where the columns of a table of records stand: the paths of its own, and what is derived from them."""

    own: tuple[tuple[str, ...], ...]
    derived: tuple[Derived, ...] = ()


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

    Nested objects become dotted paths in order of first appearance. A column of one plain type keeps it; any mixture is
    text, and with lists in it, lists of texts. Lists of objects and maps become derived columns, up to `limits.columns`
    in all: what stands at further paths shares one. `origin` holds the columns' paths. `columns_first` are known before
    any record. Raises what `read` does, and `ReadError` for more columns of the table's own.
    """
    columns: dict[tuple[str, ...], set[str]] = {(name,): set() for name in columns_first}
    inside: dict[tuple[str, ...], dict[str, bool]] = {}
    for record in read():
        for path, value in flatten(record):
            known = columns.get(path)
            if known is None:
                known = columns[path] = set()
                if len(columns) > options.limits.columns:
                    raise ReadError(
                        f"more than {options.limits.columns} columns: keys that are values; reshape it to rows"
                    )
            if type(value) is str:
                known.add("text")
            elif value is not None:
                if is_container(value):
                    nested_values.names((value,), known=inside.setdefault(path, {}))
                if type(value) is not dict:
                    known.add(_type(value))
    if columns_first:
        place = {name: i for i, name in enumerate(columns_first)}
        deeper = {path[0] for path in columns if len(path) > 1}
        ordered = sorted(columns, key=lambda path: place.get(path[0], len(place)))
        columns = {path: columns[path] for path in ordered if len(path) > 1 or path[0] not in deeper or columns[path]}
    types = [_column_type(types) for types in columns.values()]
    own = tuple(
        Field(None if path[-1].startswith(UNNAMED) else ".".join(path), dtype)
        for path, dtype in zip(columns, types, strict=True)
    )
    index = {path: i for i, path in enumerate(columns)}
    derived, is_all = _derived(inside, index, options.limits.columns - len(own))
    fields = nested_values.fields(own, derived)
    notes = (
        ()
        if is_all
        else (
            f"more than {options.limits.columns} columns: values of further keys in lists are together in "
            f"columns called [*]",
        )
    )

    def frames(count: int | None = None) -> Iterator[pl.DataFrame]:
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
        held_in = {d.parent: Cells(d) for d in derived}
        height = held = 0

        def frame() -> pl.DataFrame:
            for column in data:
                column.extend([None] * (height - len(column)))
            made = pl.DataFrame({str(i): column for i, column in enumerate(data)}, schema=schema)
            for d in derived:
                held_in[d.parent].fill(height)
                made = made.hstack(held_in[d.parent].series(made.width))
            return made

        for record in islice(read(), count):
            for path, value in flatten(record):
                i = index[path]
                column = data[i]
                if len(column) < height:
                    column.extend([None] * (height - len(column)))
                if i in held_in and is_container(value):
                    held_in[i].fill(height)
                    cell: Any = left(held_in[i].add(value))
                else:
                    cell = value if (to := convert[i]) is None else to(value)
                column.append(cell)
                if type(cell) is str:
                    held += len(cell)
            height += 1
            held += 8 * len(types)
            if height == options.batch_rows or held + sum(cells.held for cells in held_in.values()) > BATCH_BYTES:
                yield frame()
                data = [[] for _ in types]
                held_in = {d.parent: Cells(d) for d in derived}
                height = held = 0
        if height:
            yield frame()

    info = TableInfo(source, table, format_, any(f.name is not None for f in own), fields, details, notes)
    return ReadTable(info, frames, options.rows, Paths(tuple(columns), derived), frames)


def _derived(
    inside: Mapping[tuple[str, ...], dict[str, bool]], index: Mapping[tuple[str, ...], int], limit: int
) -> tuple[tuple[Derived, ...], bool]:
    """The derived columns, `limit` at most, and whether that is all of them; own columns in their order."""
    made, is_all = [], True
    for path in sorted(inside, key=index.__getitem__):
        found = [
            name for name in nested_values.settled(inside[path]) if name != EACH
        ]  # those elements stay in the own column
        if len(found) > limit:
            found, is_all = [*found[: max(0, limit)], REST], False
        limit -= len(found)
        made.append(Derived(index[path], tuple(found)))
    return tuple(made), is_all


def left(own: list[str | None]) -> list[str | None] | None:
    """What stays of a list in the own column beside its objects; nothing where that is nulls."""
    return own if any(text is not None for text in own) else None


def flatten(record: Record, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of a record with their paths. A map from values (ids, addresses, dates) to anything is one value."""
    for key, value in record.items():
        if type(value) is dict:
            if value and not is_map(value):
                yield from flatten(value, (*prefix, key))
            else:
                yield (*prefix, key), value or None
        else:
            yield (*prefix, key), value


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
