"""Functions over partitions where a platform has `mapInPandas` and no `mapInArrow`.

Cells travel as texts, which the engine makes and reads: pandas makes floats of integers beside nulls, one thing of NaN
and null, and nanoseconds of moments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

from piiscan.core.errors import UsageError

_PLAIN: Final = ("string", "byte", "short", "integer", "long", "boolean", "decimal", "float", "double", "date")
_MOMENTS: Final = ("timestamp", "timestamp_ntz")


def mapped(df: Any, function: Callable[[Iterator[Any]], Iterator[Any]], wanted: Any, before: Any, after: Any) -> Any:
    """As `df.mapInArrow(function, wanted)`.

    wanted: fields of Spark. before, after: the Arrow schemas of what goes in and comes out. Raises `UsageError` for
    types within others.
    """
    functions = import_module("pyspark.sql.functions")
    for field in (*df.schema.fields, *wanted):
        if field.dataType.typeName() not in (*_PLAIN, *_MOMENTS, "binary"):
            raise UsageError(
                f"column {field.name}: this platform has no DataFrame.mapInArrow, and {field.dataType.simpleString()} "
                "doesn't pass through pandas unchanged; use PySpark 3.5 or newer, or select its parts as columns"
            )
    texts = df.select(*(_told(functions, f).alias(str(i)) for i, f in enumerate(df.schema.fields)))

    def through_pandas(frames: Iterator[Any]) -> Iterator[Any]:
        for batch in function(_batches(frames, before)):
            yield _frame(batch, after)

    declared = ", ".join(f"`{i}` string" for i in range(len(wanted)))
    made = texts.mapInPandas(through_pandas, declared)
    return made.select(*(_read(functions, str(i), f).alias(f.name) for i, f in enumerate(wanted)))


def _told(functions: Any, field: Any) -> Any:
    """A column of the frame as text."""
    column, kind = functions.col("`" + field.name.replace("`", "``") + "`"), field.dataType.typeName()
    if kind == "binary":
        return functions.hex(column)
    if kind in _MOMENTS:
        return functions.unix_micros(column.cast("timestamp")).cast("string")
    return column.cast("string")


def _read(functions: Any, name: str, field: Any) -> Any:
    """A column of texts in the type that it is to have."""
    column, kind = functions.col(f"`{name}`"), field.dataType.typeName()
    if kind == "binary":
        return functions.unhex(column)
    if kind in _MOMENTS:
        return functions.timestamp_micros(column.cast("bigint")).cast(field.dataType)
    return column.cast(field.dataType)


def _batches(frames: Iterator[Any], schema: Any) -> Iterator[Any]:
    """Texts as pyarrow record batches of a schema."""
    pyarrow = import_module("pyarrow")
    for frame in frames:
        texts = [pyarrow.array(frame[name], pyarrow.string(), from_pandas=True) for name in frame.columns]
        columns = [_of_texts(pyarrow, text, field.type) for text, field in zip(texts, schema, strict=True)]
        yield pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def _of_texts(pyarrow: Any, texts: Any, kind: Any) -> Any:
    types = pyarrow.types
    if types.is_binary(kind) or types.is_large_binary(kind):
        return pyarrow.array([None if t is None else bytes.fromhex(t) for t in texts.to_pylist()], kind)
    return texts.cast(pyarrow.int64()).cast(kind) if types.is_timestamp(kind) else texts.cast(kind)


def _frame(batch: Any, schema: Any) -> Any:
    """A record batch as a pandas frame of texts."""
    pyarrow = import_module("pyarrow")
    columns = [_texts(pyarrow, column.cast(field.type)) for column, field in zip(batch.columns, schema, strict=True)]
    return pyarrow.table(columns, names=list(map(str, range(len(columns))))).to_pandas()


def _texts(pyarrow: Any, column: Any) -> Any:
    types = pyarrow.types
    if types.is_binary(column.type) or types.is_large_binary(column.type):
        return pyarrow.array([None if cell is None else cell.hex() for cell in column.to_pylist()], pyarrow.string())
    if types.is_timestamp(column.type):
        column = column.cast(pyarrow.int64())
    return column.cast(pyarrow.string())
