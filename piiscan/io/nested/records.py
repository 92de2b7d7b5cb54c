"""Records (JSON objects, Avro records) as tables: one pass fixes columns and types, a second gives the cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import DType, Field, TableInfo
from piiscan.io.cells import nested_values
from piiscan.io.cells.long_values import LongValue
from piiscan.io.cells.named_rows import Cells, are_heads, is_of_value, named
from piiscan.io.cells.nested_values import EACH, REST, Derived, DerivedCells, is_container, is_map
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
    """Where the columns of a table of records stand: the paths of its own, and what is derived from them.

    `heads`: elements of the list of rows before the first record, which name the columns. `by_column`: elements of the
    list are columns.
    """

    own: tuple[tuple[str, ...], ...]
    derived: tuple[Derived, ...] = ()
    heads: int = 0
    by_column: bool = False


def record_table(
    source: str,
    table: str | None,
    format_: str,
    read: Callable[[], Iterable[Record]],
    options: ReadOptions,
    details: tuple[tuple[str, str], ...] = (),
    columns_first: Sequence[str] = (),
    comments: Sequence[str] = (),
) -> ReadTable:
    """The table of records that `read` gives afresh on each call.

    Nested objects become dotted paths in order of first appearance. A column of one plain type keeps it; any mixture is
    text, and with lists in it, lists of texts. Lists of objects and maps become derived columns, up to `limits.columns`
    in all: values at further paths share one. `origin` holds the columns' paths. `columns_first` are known before
    any record. `comments`: descriptions of the elements of rows that are lists, in their order. Raises what `read`
    does, and `ReadError` for more columns of the table's own.
    """
    seen = _SeenPaths(columns_first, options.limits.columns)
    unread: LongValue | None = None
    try:
        for record in read():
            seen.add(record)
    except LongValue as error:  # there was no record behind it, and the second pass says so
        unread = error
    columns = seen.ordered()
    types = tuple(_column_type(types) for types in columns.values())
    own = tuple(_field(path, dtype, comments) for path, dtype in zip(columns, types, strict=True))
    index = {path: i for i, path in enumerate(columns)}
    derived, is_all = _derived(seen.inside, index, options.limits.columns - len(own))

    def frames(count: int | None = None) -> Iterator[pl.DataFrame]:
        if not index:  # records of nothing: there is no cell to read
            if unread is not None:
                raise unread
            return
        batch, most = _RecordBatch(index, types, derived), shares.batch()
        failure: LongValue | None = None
        try:
            for record in islice(read(), count):
                batch.add(record)
                if batch.height == options.batch_rows or batch.held > most:
                    yield batch.frame()
        except LongValue as error:  # there was no record behind it
            failure = error
        if batch.height:
            yield batch.frame()
        if failure is not None:
            raise failure

    info = TableInfo(
        source,
        table,
        format_,
        any(f.name is not None for f in own),
        nested_values.fields(own, derived),
        details,
        () if is_all else (_SHARED.format(options.limits.columns),),
    )
    return ReadTable(info, frames, options.rows, Paths(tuple(columns), derived), frames)


_FORMATTED: Final = ("f", "fmt")
"""What Google's charts call a value as it is shown, beside the value."""


def _field(path: tuple[str, ...], dtype: DType, comments: Sequence[str]) -> Field:
    """A column of the table's own. A place in a row has no name, nor have the row and the value in the cell there.

    Any other key stays in the name, so that it is looked at.
    """
    at = next((i for i, key in enumerate(path) if key.startswith(UNNAMED)), None)
    if at is None or not (
        all(map(str.isalpha, path[:at])) and all(key in _FORMATTED or is_of_value(key) for key in path[at + 1 :])
    ):
        return Field(".".join(path), dtype)
    number = path[at].removeprefix(UNNAMED)
    return Field(None, dtype, comment=comments[int(number)] if number and int(number) < len(comments) else None)


_SHARED = "more than {} columns: values of further keys in lists are together in columns called [*]"


class _SeenPaths:
    """The first pass: which paths there are, and the types of their values.

    `inside`: by path of a list or map, the names within it, and whether anything but null is there.
    """

    def __init__(self, first: Sequence[str], limit: int) -> None:
        self._first, self._limit = first, limit
        self._types: dict[tuple[str, ...], set[str]] = {(name,): set() for name in first}
        self.inside: dict[tuple[str, ...], dict[str, bool]] = {}

    def add(self, record: Record) -> None:
        columns = self._types
        for path, value in flatten(record):
            known = columns.get(path)
            if known is None:
                known = columns[path] = set()
                if len(columns) > self._limit:
                    raise ReadError(f"more than {self._limit} columns: keys that are values; reshape it to rows")
            if type(value) is str:
                known.add("text")
            elif value is not None:
                if is_container(value):
                    nested_values.names((value,), known=self.inside.setdefault(path, {}))
                if type(value) is not dict:
                    known.add(_type(value))

    def ordered(self) -> dict[tuple[str, ...], set[str]]:
        """The types of each path.

        Columns known before any record come first, but for those that turned out to be objects.
        """
        columns = self._types
        if not self._first:
            return columns
        order = {name: i for i, name in enumerate(self._first)}
        deeper = {path[0] for path in columns if len(path) > 1}
        paths = sorted(columns, key=lambda path: order.get(path[0], len(order)))
        return {path: columns[path] for path in paths if len(path) > 1 or path[0] not in deeper or columns[path]}


class _RecordBatch:
    """The second pass: records that become a frame. `held`: about how many bytes they take."""

    def __init__(
        self, index: Mapping[tuple[str, ...], int], types: Sequence[DType], derived: Sequence[Derived]
    ) -> None:
        import polars as pl

        native: dict[DType, Any] = {
            "integer": pl.Int64,
            "float": pl.Float64,
            "boolean": pl.Boolean,
            "date": pl.Date,
            "datetime": pl.Datetime("us"),
            "other": pl.List(pl.String),
        }
        self._schema = {str(i): native.get(dtype, pl.String) for i, dtype in enumerate(types)}
        texts: dict[DType, Callable[[Any], Any] | None] = {**dict.fromkeys(native, None), "other": texts_of}
        self._convert: list[Callable[[Any], Any] | None] = [texts.get(dtype, text_of) for dtype in types]
        self._index, self._derived = index, derived
        self._clear()

    def _clear(self) -> None:
        self._data: list[list[Any]] = [[] for _ in self._convert]
        self._inside = {d.parent: DerivedCells(d) for d in self._derived}
        self.height = self._held = 0

    @property
    def held(self) -> int:
        return self._held + sum(cells.held for cells in self._inside.values())

    def add(self, record: Record) -> None:
        index, data, inside, convert, height = self._index, self._data, self._inside, self._convert, self.height
        held = 8 * len(data)
        for path, value in flatten(record):
            i = index[path]
            column = data[i]
            if len(column) < height:
                column.extend([None] * (height - len(column)))
            if i in inside and is_container(value):
                inside[i].fill(height)
                cell: Any = left(inside[i].add(value))
            else:
                cell = value if (to := convert[i]) is None else to(value)
            column.append(cell)
            if type(cell) is str:
                held += len(cell)
        self.height += 1
        self._held += held

    def frame(self) -> pl.DataFrame:
        """The records so far, which are gone then."""
        import polars as pl

        for column in self._data:
            column.extend([None] * (self.height - len(column)))
        made = pl.DataFrame({str(i): column for i, column in enumerate(self._data)}, schema=self._schema)
        for cells in self._inside.values():
            cells.fill(self.height)
            made = made.hstack(cells.series(made.width))
        self._clear()
        return made


def _derived(
    inside: Mapping[tuple[str, ...], dict[str, bool]], index: Mapping[tuple[str, ...], int], limit: int
) -> tuple[tuple[Derived, ...], bool]:
    """The derived columns, `limit` at most, and whether that is all of them; own columns in their order."""
    made, is_all = [], True
    for path in sorted(inside, key=index.__getitem__):
        # Elements that are no objects stay in the own column.
        found = [name for name in nested_values.without_null_parents(inside[path]) if name != EACH]
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
    for key, value in named(record).items():
        if type(value) is dict:
            if value and not is_map(value):
                yield from flatten(value, (*prefix, key))
            else:
                yield (*prefix, key), value or None
        elif type(value) is Cells:
            yield from flatten(value, (*prefix, key))
        elif not are_heads(value):
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
