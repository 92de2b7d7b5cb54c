"""Data frames as tables."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.frames_by_name import frame_of
from piiscan.core.types import TableInfo
from piiscan.io import arrow_frames
from piiscan.io.cells.nested_values import holds_objects
from piiscan.io.cells.plain import LISTS, text_of, texts_of
from piiscan.io.cells.typed import layout, stream
from piiscan.io.content import ReadTable
from piiscan.io.nested.json_texts import unfolded
from piiscan.io.nested.records import record_table
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

SOURCE = "<frame>"
_COPY = "\ue000"  # a character for private use: Arrow cuts names at NUL
_NO_ROW = 10**8
_COPIES = re.compile(_COPY + r"\d+")


def frame_table(obj: Any, options: ReadOptions, texts: bool = True) -> ReadTable:
    """Make a table of a data frame of any supported kind.

    A polars DataFrame or LazyFrame, a pandas DataFrame, a pyarrow Table, RecordBatch or reader, anything else that
    implements the Arrow stream protocol or is known to narwhals, an iterable of such frames of one schema, or of
    mappings, one a row. An index of a pandas frame that is more than row numbers comes as columns after the others.
    What a frame holds beside its rows is not part of the table: see `piiscan.io.frame_asides`.
    `texts`: columns of text that are JSON, by the first rows of all, become derived columns.

    Raises `UsageError` for anything else, and `ReadError` from `batches` where frames of an iterable differ in columns.
    """
    table = _frame_table(obj, options)
    return unfolded(table, options.limits.columns, once=table.first is None) if texts else table


def _frame_table(obj: Any, options: ReadOptions) -> ReadTable:
    import polars as pl

    if isinstance(obj, pl.LazyFrame):
        plan = layout(obj.collect_schema(), options.limits.columns)
        lazy = obj.select(plan.exprs)
        return _table(plan.fields, lambda: (plan.finish(frame) for frame in stream(lazy, options)), options)
    reader = arrow_reader(obj)
    single = None if reader is not None else _to_polars(obj)
    frames: Iterator[pl.DataFrame]
    if reader is not None:
        first, frames = _part(arrow_frames.without_rows(reader.schema)), map(_part, _batches(reader))
    elif single is not None:
        first, frames = single, iter(())
    elif isinstance(obj, Iterable) and not isinstance(obj, str | bytes | Mapping):
        parts = iter(obj)
        first_part = next(parts, None)
        if first_part is None:
            return _table((), lambda: iter(()), options)
        if isinstance(first_part, Mapping):
            records = [_record(first_part), *map(_record, parts)]
            return record_table(SOURCE, None, "frame", lambda: records, options)
        first, frames = _part(first_part), map(_part, parts)
    else:
        raise UsageError(f"can't scan an object of type {type(obj).__name__}; pass a path, a data frame or frames")
    plan = layout(first.schema, options.limits.columns)
    fields = tuple(field._replace(name=field.name and _COPIES.sub("", field.name)) for field in plan.fields)

    def read() -> Iterator[pl.DataFrame]:
        yield from (plan.apply(part) for part in sliced(first, options.batch_rows))
        for frame in frames:
            if frame.columns != first.columns:
                raise ReadError("frames of one table differ in their columns")
            try:
                same = frame.cast(dict(first.schema))  # type: ignore[arg-type]
            except pl.exceptions.PolarsError:
                raise ReadError("frames of one table differ in their types; cast them first") from None
            yield from (plan.apply(part) for part in sliced(same, options.batch_rows))

    table = _table(fields, read, options)
    if single is None:
        return table
    return table._replace(first=lambda count: iter((plan.apply(first.head(count)),)))  # so it can be read again


def arrow_reader(obj: Any) -> Any:
    """A RecordBatchReader for an Arrow stream that can be read once; None for anything else, and without pyarrow.

    A pyarrow RecordBatchReader, data set or scanner, a DuckDB relation, or whatever else gives an Arrow stream and is
    no frame of polars, pandas or pyarrow.
    """
    library = type(obj).__module__.split(".")[0]
    if library == "pyarrow":
        if hasattr(obj, "to_reader") and hasattr(obj, "projected_schema"):
            return obj.to_reader()
        if hasattr(obj, "scanner") and hasattr(obj, "schema"):
            return obj.scanner().to_reader()
        return obj if hasattr(obj, "read_next_batch") else None
    if library in ("polars", "pandas") or not hasattr(obj, "__arrow_c_stream__"):
        return None
    try:
        reader = import_module("pyarrow").RecordBatchReader
    except ImportError:
        return None
    return reader.from_stream(obj)


def _batches(reader: Any) -> Iterator[Any]:
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except Exception as error:  # libraries quote values in their messages
            raise ReadError(f"the Arrow stream broke off ({type(error).__name__})") from None
        yield batch


def _table(fields: Any, read: Any, options: ReadOptions) -> ReadTable:
    return ReadTable(TableInfo(SOURCE, None, "frame", True, fields), read, options.rows)


def _record(obj: Any) -> dict[str, Any]:
    if not isinstance(obj, Mapping):
        raise UsageError(
            f"can't scan a mapping and an object of type {type(obj).__name__} together; pass mappings only"
        )
    return {str(key): _listed(value) for key, value in obj.items()}


def _part(obj: Any) -> pl.DataFrame:
    frame = _to_polars(obj)
    if frame is None:
        raise UsageError(f"can't scan an iterable with an object of type {type(obj).__name__}; pass data frames")
    return frame


def _to_polars(obj: Any) -> pl.DataFrame | None:
    """Any one frame as a polars one, None for what isn't one."""
    import polars as pl

    if isinstance(obj, pl.DataFrame):
        return obj
    if isinstance(obj, pl.Series):
        return obj.to_frame()
    if type(obj).__module__.split(".")[0] == "pandas":
        return _from_pandas(obj)
    if hasattr(obj, "rename_columns") and hasattr(obj, "schema"):
        return arrow_frames.to_polars(obj.rename_columns(unique_names(list(obj.schema.names))))
    if hasattr(obj, "__arrow_c_stream__") or hasattr(obj, "__arrow_c_array__"):
        try:
            return arrow_frames.taken(obj)
        except pl.exceptions.SchemaError:  # an array, of no columns
            return pl.DataFrame([pl.Series("", obj)])
    if hasattr(obj, "__narwhals_dataframe__") or hasattr(obj, "__dataframe__"):
        import narwhals as nw

        polars_frame: pl.DataFrame = nw.from_native(obj, eager_only=True).to_polars()
        return polars_frame
    return None


def _from_pandas(obj: Any) -> pl.DataFrame | None:
    """Column by column: headers may repeat, and a column of objects may hold anything."""
    if not hasattr(obj, "iloc"):
        if not hasattr(obj, "to_frame"):
            return None
        obj = obj.to_frame(index=False)
    frame = obj.to_frame() if obj.ndim == 1 else obj
    columns = [(str(name), frame.iloc[:, i]) for i, name in enumerate(frame.columns)] + _index(frame.index)
    names = unique_names([name for name, _ in columns])
    return frame_of(_series(name, column).alias(name) for name, (_, column) in zip(names, columns, strict=True))


def _index(index: Any) -> list[tuple[str, Any]]:
    """The levels of a pandas index with their names.

    Integers without a name are row numbers, whatever was filtered out, unless they are too large for that: numbers of
    persons and telephones have nine digits or more.
    """
    if index.nlevels == 1 and index.name is None and index.dtype.kind in "iu" and _are_row_numbers(index):
        return []
    unnamed = "index" if index.nlevels == 1 else "level_{}"
    names = [unnamed.format(i) if name is None else str(name) for i, name in enumerate(index.names)]
    return [(name, index.get_level_values(i).to_series()) for i, name in enumerate(names)]


def _are_row_numbers(index: Any) -> bool:
    if type(index).__name__ == "RangeIndex":
        return True
    known = index.dropna()
    return not len(known) or int(known.max()) < _NO_ROW


def _series(name: str, column: Any) -> pl.Series:
    """A pandas column as a polars one: numpy numbers as they are, else by the types of its values."""
    import numpy as np

    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufbM":
        return _numbers(name, column)
    if str(column.dtype).startswith("map<"):  # of Arrow
        return arrow_frames.to_polars(import_module("pyarrow").table({name: column.array})).to_series()
    if str(column.dtype).startswith(("timestamp[", "date32[", "date64[")):
        with contextlib.suppress(UsageError):  # for a zone that polars doesn't know
            return arrow_frames.to_polars(import_module("pyarrow").table({name: column.array})).to_series()
    if hasattr(column.dtype, "tz") and (times := _zoned(name, column)) is not None:
        return times
    missing = column.isna().to_list()
    values = [None if gone is True else _listed(cell) for cell, gone in zip(column.to_list(), missing, strict=True)]
    return _values(name, values)


def _numbers(name: str, column: Any) -> pl.Series:
    """Convert numbers, booleans and times of numpy.

    pandas turns integers into floats as soon as one is missing: those become integers again.
    """
    import polars as pl

    if column.dtype.itemsize > 8:
        column = column.astype("float64")
    if str(column.dtype) == "datetime64[s]":  # what pandas makes of dates, and polars doesn't take
        column = column.astype("datetime64[ms]")
    series = pl.Series(name, column.to_numpy(), nan_to_null=True)
    if column.dtype.kind == "f" and series.null_count():
        whole = series.cast(pl.Int64, strict=False)
        if whole.null_count() == series.null_count() and bool((series == whole).all()):
            return whole
    return series


def _zoned(name: str, column: Any) -> pl.Series | None:
    """Convert times of a zone; None where polars doesn't know it, such as one of a fixed offset."""
    import polars as pl

    zone = str(getattr(column.dtype.tz, "zone", column.dtype.tz))  # of pytz and of zoneinfo
    times = _numbers(name, column.dt.tz_convert("UTC").dt.tz_localize(None)).dt.replace_time_zone("UTC")
    try:
        return times.dt.convert_time_zone(zone)
    except pl.exceptions.PolarsError:
        return None


def _values(name: str, values: list[Any]) -> pl.Series:
    """Python objects: of one plain type, lists, or texts."""
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1 and kinds <= {int, float, bool, datetime.date}:
        try:
            return pl.Series(name, values)
        except (pl.exceptions.PolarsError, OverflowError, TypeError):
            pass
    # Lists with objects in them become JSON, whose paths are laid out.
    if any(issubclass(found, LISTS) for found in kinds) and not any(holds_objects(value) for value in values):
        return pl.Series(name, [texts_of(value) for value in values], dtype=pl.List(pl.String))
    return pl.Series(name, [text_of(value) for value in values], dtype=pl.String)


def _listed(cell: Any) -> Any:
    """A cell with arrays as lists: as text they would be cut."""
    if type(cell).__module__ == "numpy" and hasattr(cell, "tolist"):
        cell = cell.tolist()
    if type(cell) is dict:
        return {str(key): _listed(value) for key, value in cell.items()}
    return [_listed(element) for element in cell] if type(cell) is list else cell


def unique_names(names: list[str]) -> list[str]:
    """Names that polars takes: those that repeat get a mark, which comes off again in the table's fields."""
    counts: Counter[str] = Counter()
    unique: list[str] = []
    for name in names:
        counts[name] += 1
        unique.append(f"{name}{_COPY}{counts[name]}" if counts[name] > 1 else name)
    return unique
