"""Parquet and Arrow IPC files, streamed by polars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from piiscan.errors import ReadError
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.options import ReadOptions
from piiscan.io.typed import layout, sliced, stream
from piiscan.types import TableInfo

if TYPE_CHECKING:
    import polars as pl


def parquet(content: Content, options: ReadOptions) -> ReadTable:
    """The table of a Parquet file. Raises `ReadError` for a truncated or malformed one."""
    import polars as pl

    with content.open() as file:
        file.seek(max(0, content.size - 4))
        end = file.read()
    if end == b"PARE":
        raise ReadError("encrypted Parquet; decrypt it first")
    if end != b"PAR1" or content.size < 12:
        raise ReadError("truncated Parquet: its end is missing; fetch or write it again")
    try:
        lazy = pl.scan_parquet(content.for_polars(), glob=False, hive_partitioning=False)
        return _table(content, "parquet", lazy, options)
    except (pl.exceptions.PolarsError, OSError, ValueError):
        raise ReadError("malformed Parquet: its metadata can't be read; write it again") from None


def arrow_file(content: Content, options: ReadOptions) -> ReadTable:
    """The table of an Arrow IPC file (Feather version 2)."""
    import polars as pl

    try:
        return _table(content, "arrow", pl.scan_ipc(content.for_polars(), glob=False, hive_partitioning=False), options)
    except (pl.exceptions.PolarsError, OSError, ValueError):
        raise ReadError("malformed Arrow file: its metadata can't be read; write it again") from None


def arrow_stream(content: Content, options: ReadOptions) -> ReadTable:
    """The table of an Arrow IPC stream, which is read whole and so bounded by `document_bytes`."""
    import polars as pl

    limit = options.limits.document_bytes
    if content.size > limit:
        raise ReadError(f"an Arrow stream above {limit >> 20} MiB; write it as an Arrow file or Parquet, which are read piecewise")
    try:
        with content.open() as file:
            frame = pl.read_ipc_stream(file.read())
    except (pl.exceptions.PolarsError, OSError, ValueError):
        raise ReadError("malformed Arrow stream; write it again") from None
    plan = layout(frame.schema, options.limits.columns)
    info = TableInfo(content.source, None, "arrow", True, plan.fields, describe(content))

    def frames() -> Iterator[pl.DataFrame]:
        for part in sliced(frame, options.batch_rows):
            yield plan.apply(part)

    return ReadTable(info, frames, options.rows)


def _table(content: Content, kind: str, lazy: pl.LazyFrame, options: ReadOptions) -> ReadTable:
    plan = layout(lazy.collect_schema(), options.limits.columns)
    info = TableInfo(content.source, None, kind, True, plan.fields, describe(content))

    def frames() -> Iterator[pl.DataFrame]:
        for frame in stream(lazy.select(plan.exprs), options):
            yield plan.finish(frame)

    return ReadTable(info, frames, options.rows)
