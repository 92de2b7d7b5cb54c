"""Frames as they are masked: in memory, with the fields of structs as columns of their own; and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from importlib import import_module
from typing import Any, Final, NamedTuple

import polars as pl

from piiscan.core.errors import ReadError, UsageError
from piiscan.core.frames_by_name import frame_of
from piiscan.io import native_frames
from piiscan.io.frames import arrow_reader, unique_names

_INNER: Final = -1


class _Column(NamedTuple):
    """A column of the given frame.

    `place` is its place in the flat one; or it is a struct of the fields `inner`, and `filled` says where it isn't
    null.
    """

    name: str
    place: int = _INNER
    inner: tuple[_Column, ...] = ()
    filled: Any = None


class Opened(NamedTuple):
    """`frame`: one in memory without structs, whose columns go by dotted paths.

    `columns`: how they make the columns of the given one; empty where it has no structs. `finish`: makes the given kind
    of a frame in memory.
    """

    frame: Any
    columns: tuple[_Column, ...] = ()
    finish: Callable[[Any], Any] = lambda made: made

    @property
    def structs(self) -> Set[str]:
        """The names of the given frame's structs, those within structs by their paths."""
        return {name for column in self.columns for name in _structs(column, "")}

    def given_back(self, made: Any, dropped: Set[int], kept: pl.Series | None, renamed: Mapping[int, str]) -> Any:
        """Return `made` as a frame like the given one.

        `made` is the flat frame, of which the columns `dropped` and the rows not `kept` are left out; `renamed`: the
        new names of its columns.
        """
        if not self.columns:
            return self.finish(made)
        stay = [i for i in range(len(_names(self.frame))) if i not in dropped]
        place = {i: position for position, i in enumerate(stay)}
        nest = _Polars(made, kept) if isinstance(made, pl.DataFrame) else _Arrow(made, kept)
        found = [made for c in self.columns if (made := _nested(nest, c, "", place, renamed)) is not None]
        return self.finish(nest.frame(found))


def _structs(column: _Column, path: str) -> Iterator[str]:
    if column.place == _INNER:
        yield path + column.name
        for inner in column.inner:
            yield from _structs(inner, f"{path}{column.name}.")


def opened(frame: Any) -> Opened:
    """Prepare a frame for masking. Raises `UsageError` for an unsupported kind, and `ReadError` for one that fails.

    A polars (lazy too), pandas or pyarrow frame, a DuckDB relation, or a reader or data set of Arrow. Lazy frames are
    collected, and come back as lazy ones; relations, readers and data sets are read, and come back as pyarrow Tables.
    """
    if isinstance(frame, pl.LazyFrame):
        return _flat(_collected(frame, frame.collect))._replace(finish=lambda made: made.lazy())
    if (reader := arrow_reader(frame)) is not None:
        return _flat(_collected(frame, reader.read_all))
    native_frames.kind_of(frame)
    return _flat(frame)


def _collected(frame: Any, read: Callable[[], Any]) -> Any:
    """The rows of a query of the caller's, which may fail at a cell and quote it."""
    try:
        return read()
    except Exception as error:
        raise ReadError(f"the rows of a {type(frame).__name__} can't be read ({type(error).__name__})") from None


def _names(frame: Any) -> Sequence[str]:
    return frame.columns if isinstance(frame, pl.DataFrame) else frame.schema.names


def _flat(frame: Any) -> Opened:
    if isinstance(frame, pl.DataFrame):
        return _flat_polars(frame)
    return _flat_arrow(frame) if hasattr(frame, "schema") else Opened(frame)


def _flat_polars(frame: pl.DataFrame) -> Opened:
    if not any(isinstance(t, pl.Struct) and t.fields for t in frame.dtypes):
        return Opened(frame)
    leaves: list[pl.Series] = []

    def visit(name: str, path: str, cells: pl.Series) -> _Column:
        if isinstance(cells.dtype, pl.Struct) and cells.dtype.fields:
            inner = tuple(visit(f.name, f"{path}.{f.name}", cells.struct.field(f.name)) for f in cells.dtype.fields)
            return _Column(name, inner=inner, filled=cells.is_not_null())
        leaves.append(cells.alias(path))
        return _Column(name, len(leaves) - 1)

    columns = tuple(visit(c.name, c.name, c) for c in frame.iter_columns())
    names = unique_names([leaf.name for leaf in leaves])
    return Opened(frame_of(leaf.alias(name) for leaf, name in zip(leaves, names, strict=True)), columns)


def _flat_arrow(frame: Any) -> Opened:
    pyarrow = import_module("pyarrow")

    def is_struct(dtype: Any) -> bool:
        return bool(pyarrow.types.is_struct(dtype) and dtype.num_fields)

    if not any(is_struct(field.type) for field in frame.schema):
        return Opened(frame)
    compute = import_module("pyarrow.compute")
    arrays: list[Any] = []
    fields: list[Any] = []

    def visit(field: Any, path: str, cells: Any) -> _Column:
        if is_struct(field.type):
            inner = tuple(
                visit(f, f"{path}.{f.name}", compute.struct_field(cells, [i])) for i, f in enumerate(field.type)
            )
            return _Column(field.name, inner=inner, filled=pl.Series(cells.is_valid()))
        arrays.append(cells)
        fields.append(field.with_name(path).with_nullable(True))
        return _Column(field.name, len(arrays) - 1)

    columns = tuple(visit(f, f.name, frame.column(i)) for i, f in enumerate(frame.schema))
    names = unique_names([field.name for field in fields])
    schema = pyarrow.schema([f.with_name(name) for f, name in zip(fields, names, strict=True)], frame.schema.metadata)
    return Opened(type(frame).from_arrays(arrays, schema=schema), columns)


def _nested(
    nest: _Polars | _Arrow, column: _Column, path: str, place: Mapping[int, int], renamed: Mapping[int, str]
) -> tuple[str, Any] | None:
    """A column of the given frame, with its name; None where nothing of it is left."""
    if column.place != _INNER:
        if column.place not in place:
            return None
        name = renamed[column.place].removeprefix(path) if column.place in renamed else column.name
        return name, nest.column(place[column.place])
    below = f"{path}{column.name}."
    inner = [made for c in column.inner if (made := _nested(nest, c, below, place, renamed)) is not None]
    if len({name for name, _ in inner}) < len(inner):
        raise UsageError(f"two fields of the struct {column.name} would have one name; change a rename of the plan")
    return (column.name, nest.struct(inner, column.filled)) if inner else None


class _Polars:
    """Structs of polars. `made`: the masked flat frame."""

    def __init__(self, made: pl.DataFrame, kept: pl.Series | None) -> None:
        self._made, self._kept = made, kept

    def column(self, position: int) -> pl.Series:
        return self._made.to_series(position)

    def struct(self, inner: Sequence[tuple[str, pl.Series]], filled: pl.Series) -> pl.Series:
        cells = frame_of(made.alias(name) for name, made in inner)
        has = filled if self._kept is None else filled.filter(self._kept)
        return cells.select(pl.when(has).then(pl.struct(pl.all())).otherwise(None).alias("struct")).to_series()

    def frame(self, columns: Sequence[tuple[str, pl.Series]]) -> pl.DataFrame:
        return frame_of(made.alias(name) for name, made in columns)


class _Arrow:
    """Structs of Arrow."""

    def __init__(self, made: Any, kept: pl.Series | None) -> None:
        self._made, self._kept = made, kept
        self._pyarrow = import_module("pyarrow")

    def column(self, position: int) -> Any:
        return self._made.column(position)

    def struct(self, inner: Sequence[tuple[str, Any]], filled: pl.Series) -> Any:
        has = filled if self._kept is None else filled.filter(self._kept)
        arrays = list(map(self._whole, (made for _, made in inner)))
        return self._pyarrow.StructArray.from_arrays(
            arrays, names=[name for name, _ in inner], mask=self._pyarrow.array((~has).to_list(), type="bool")
        )

    def frame(self, columns: Sequence[tuple[str, Any]]) -> Any:
        metadata = {key: value for key, value in (self._made.schema.metadata or {}).items() if key != b"pandas"}
        schema = self._pyarrow.schema([(name, made.type) for name, made in columns], metadata)
        return type(self._made).from_arrays([made for _, made in columns], schema=schema)

    def _whole(self, cells: Any) -> Any:
        if not isinstance(cells, self._pyarrow.ChunkedArray):
            return cells
        return cells.combine_chunks() if cells.num_chunks != 1 else cells.chunk(0)
