"""Data frames as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from piiscan.errors import ReadError, UsageError
from piiscan.io.content import ReadTable
from piiscan.io.options import ReadOptions
from piiscan.io.typed import LISTS, layout, sliced, stream, text_of, texts_of
from piiscan.types import Field, TableInfo

if TYPE_CHECKING:
    import polars as pl

SOURCE = "<frame>"
_COPY = "\ue000"  # a character for private use: Arrow cuts names at NUL


def frame_table(obj: Any, options: ReadOptions) -> ReadTable:
    """The table of a polars DataFrame or LazyFrame, a pandas DataFrame, a pyarrow Table, RecordBatch or reader, anything
    else that speaks the Arrow stream protocol or narwhals, or an iterable of such frames of one schema.

    Raises `UsageError` for anything else, and `ReadError` from `batches` where frames of an iterable differ in columns.
    """
    import polars as pl

    if isinstance(obj, pl.LazyFrame):
        plan = layout(obj.collect_schema(), options.limits.columns)
        lazy = obj.select(plan.exprs)
        return _table(plan.fields, lambda: (plan.finish(frame) for frame in stream(lazy, options)), options)
    single = _to_polars(obj)
    frames: Iterator[pl.DataFrame]
    if single is not None:
        first, frames = single, iter(())
    elif isinstance(obj, Iterable) and not isinstance(obj, str | bytes | dict):
        frames = map(_part, obj)
        begun = next(frames, None)
        if begun is None:
            return _table((), lambda: iter(()), options)
        first = begun
    else:
        raise UsageError(f"can't scan an object of type {type(obj).__name__}; pass a path, a data frame or frames")
    plan = layout(first.schema, options.limits.columns)
    fields = tuple(Field(field.name and field.name.partition(_COPY)[0], field.dtype) for field in plan.fields)

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

    return _table(fields, read, options)


def _table(fields: Any, read: Any, options: ReadOptions) -> ReadTable:
    return ReadTable(TableInfo(SOURCE, None, "frame", True, fields), read, options.rows)


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
        return pl.DataFrame(obj.rename_columns(_unique(list(obj.schema.names))))
    if hasattr(obj, "__arrow_c_stream__") or hasattr(obj, "__arrow_c_array__"):
        return pl.DataFrame(obj)
    if hasattr(obj, "__narwhals_dataframe__") or hasattr(obj, "__dataframe__"):
        import narwhals as nw

        polars_frame: pl.DataFrame = nw.from_native(obj, eager_only=True).to_polars()
        return polars_frame
    return None


def _from_pandas(obj: Any) -> pl.DataFrame:
    """Column by column: headers may repeat, and a column of objects may hold anything."""
    import polars as pl

    frame = obj.to_frame() if obj.ndim == 1 else obj
    names = _unique([str(name) for name in frame.columns])
    return pl.DataFrame([_series(name, frame.iloc[:, i]) for i, name in enumerate(names)])


def _series(name: str, column: Any) -> pl.Series:
    import polars as pl

    missing = column.isna()
    if column.dtype.kind in "iufbM" and not hasattr(column.dtype, "numpy_dtype"):
        series = pl.Series(name, column.to_numpy(), nan_to_null=True)
        # pandas makes floats of integers as soon as one is missing.
        if column.dtype.kind == "f" and series.null_count() and bool((series == series.cast(pl.Int64, strict=False)).all()):
            return series.cast(pl.Int64)
        return series
    values = [None if gone is True else cell for cell, gone in zip(column.to_list(), missing.to_list(), strict=True)]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        try:
            return pl.Series(name, values)
        except (pl.exceptions.PolarsError, OverflowError, TypeError):
            pass
    if any(issubclass(found, LISTS) for found in kinds):
        return pl.Series(name, [texts_of(value) for value in values], dtype=pl.List(pl.String))
    return pl.Series(name, [text_of(value) for value in values], dtype=pl.String)


def _unique(names: list[str]) -> list[str]:
    """Names that polars takes: those that repeat get a mark, which comes off again in the table's fields."""
    counts: Counter[str] = Counter()
    unique: list[str] = []
    for name in names:
        counts[name] += 1
        unique.append(f"{name}{_COPY}{counts[name]}" if counts[name] > 1 else name)
    return unique
