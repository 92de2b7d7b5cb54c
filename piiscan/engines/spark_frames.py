"""Functions over partitions of a Spark data frame, with nothing but what Spark Connect has."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Final

from piiscan.core.errors import MissingExtra, UsageError
from piiscan.engines import spark_pandas
from piiscan.engines.workers import guarded, on_engine

PARTS: Final = "bucket int, part binary"
"""The columns of partial results: which of them are folded together, and their bytes."""
_BUCKETS: Final = 16

Batches = Iterator[Any]
"""pyarrow record batches."""


def demand_spark() -> None:
    """Raises `MissingExtra` where there is no PySpark."""
    try:
        import_module("pyspark.sql")
    except ImportError:
        raise MissingExtra("PySpark is missing; type: pip install 'piiscan-toolkit[spark]'") from None


def demand_frame(data: Any, name: str = "df") -> None:
    """Raises `UsageError` for anything but a Spark data frame."""
    demand_spark()
    if not is_frame(data):
        raise UsageError(f"{name} is a Spark DataFrame, not an object of type {type(data).__name__}")


def is_frame(data: Any) -> bool:
    """Whether it is a Spark data frame."""
    return type(data).__module__.startswith("pyspark.") and hasattr(data, "select")


def mapped(df: Any, function: Callable[[Batches], Batches], schema: Any) -> Any:
    """`df.mapInArrow`, or by way of `df.mapInPandas` on a platform that has only that; `function` is pickled.

    Raises `UsageError` on one that has neither.
    """
    known = type(df)  # a frame itself has an attribute of any name, which may be a column's
    if hasattr(known, "mapInArrow"):
        return df.mapInArrow(function, schema)
    if hasattr(known, "mapInPandas"):
        made = df.sparkSession.createDataFrame([], schema)
        return spark_pandas.mapped(df, function, made.schema.fields, arrow_schema(df), arrow_schema(made))
    raise UsageError("this platform has no DataFrame.mapInArrow; use PySpark 3.5 or newer")


def arrow_schema(df: Any) -> Any:
    """The Arrow schema of a frame's batches. Raises `UsageError` for a type that Arrow doesn't take."""
    convert = import_module("pyspark.sql.pandas.types").to_arrow_schema
    zone = df.sparkSession.conf.get("spark.sql.session.timeZone")
    knows_zone = "timezone" in inspect.signature(convert).parameters  # before 4.2 it says UTC, whatever batches say
    try:
        return convert(df.schema, timezone=zone) if knows_zone else _in_zone(convert(df.schema), zone)
    except Exception as error:
        raise UsageError(f"the frame has a type that can't be sent to Python ({type(error).__name__})") from None


def _in_zone(schema: Any, zone: str) -> Any:
    pyarrow = import_module("pyarrow")
    types = pyarrow.types

    def moved(kind: Any) -> Any:
        if types.is_timestamp(kind) and kind.tz:
            return pyarrow.timestamp(kind.unit, zone)
        if types.is_struct(kind):
            return pyarrow.struct([field.with_type(moved(field.type)) for field in kind])
        if types.is_map(kind):
            return pyarrow.map_(
                kind.key_field.with_type(moved(kind.key_type)), kind.item_field.with_type(moved(kind.item_type))
            )
        if types.is_list(kind):
            return pyarrow.list_(kind.value_field.with_type(moved(kind.value_type)))
        return kind

    return pyarrow.schema([field.with_type(moved(field.type)) for field in schema])


def as_arrow(df: Any) -> Any:
    """All rows of a frame that the driver can hold, as a pyarrow Table."""
    if hasattr(type(df), "toArrow"):
        return df.toArrow()
    # Before PySpark 4. Not by `toPandas`, which makes floats of integers beside nulls.
    pyarrow = import_module("pyarrow")
    found = [pyarrow.ipc.open_stream(row["part"]).read_all() for row in mapped(df, _packed, "part binary").collect()]
    return pyarrow.concat_tables(found) if found else arrow_schema(df).empty_table()


def _packed(batches: Batches) -> Batches:
    """Each batch as a stream of Arrow's IPC format, in one cell."""
    pyarrow = import_module("pyarrow")
    for batch in batches:
        buffer = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(buffer, batch.schema) as writer:
            writer.write_batch(batch)
        data = pyarrow.array([buffer.getvalue().to_pybytes()], pyarrow.binary())
        yield pyarrow.RecordBatch.from_arrays([data], names=["part"])


def part_number() -> int | None:
    """The number of the partition that this task is of; None where the engine doesn't tell."""
    try:
        context = import_module("pyspark").TaskContext.get()
    except (ImportError, AttributeError):
        return None
    return None if context is None else int(context.partitionId())


def folded(
    df: Any, partial: Callable[[Batches], bytes | None], fold: Callable[[Iterable[bytes]], bytes]
) -> list[bytes]:
    """The partial results of all partitions, folded twice on the workers.

    One, however many partitions there are; none of a frame without partitions.
    """

    def first(batches: Batches) -> Batches:
        with guarded():
            data = partial(batches)
        if data is not None:
            yield _row(zlib.crc32(data) % _BUCKETS, data)

    def again(batches: Batches) -> Batches:
        with guarded():
            parts = [part.as_py() for batch in batches for part in batch.column(1)]
            data = fold(parts) if parts else None
        if data is not None:
            yield _row(0, data)

    parts = mapped(df, first, PARTS)
    parts = mapped(parts.repartition(_BUCKETS, "bucket"), again, PARTS)
    parts = mapped(parts.repartition(1), again, PARTS)
    return [bytes(row["part"]) for row in on_engine(parts.collect)]


def _row(bucket: int, data: bytes) -> Any:
    pyarrow = import_module("pyarrow")

    return pyarrow.RecordBatch.from_arrays(
        [pyarrow.array([bucket], pyarrow.int32()), pyarrow.array([data], pyarrow.binary())], names=["bucket", "part"]
    )
