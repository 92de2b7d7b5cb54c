"""Parquet and Arrow IPC files, read by polars piece by piece; what it refuses of Parquet, by DuckDB where that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from piiscan.errors import ReadError
from piiscan.io.content import Content, ReadTable, describe, is_failure
from piiscan.io.options import ReadOptions
from piiscan.io.typed import Layout, layout, sliced
from piiscan.types import TableInfo

if TYPE_CHECKING:
    import polars as pl

PIECE_BYTES = 1 << 26
"""About what a piece takes once decoded: the rows that are read at once, whatever groups the file has them in."""
FILE_BYTES = 1 << 26
"""Of a file, what a piece and its columns that are read together are about: a group of rows is fetched whole."""
_CELL = 16


class Scanned(NamedTuple):
    """A file that polars reads: its columns as they are in it, how they become the table's, and how many rows there are."""

    content: Content
    lazy: pl.LazyFrame
    plan: Layout
    rows: int
    kind: str


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
        rows = _height(lazy)
        plan = layout(lazy.collect_schema(), options.limits.columns)
    except ReadError:
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        table = _by_duckdb(content, options)
        if table is None:
            raise ReadError(f"malformed Parquet: its metadata can't be read; write it again{_other_reader()}") from None
        return table

    def frames() -> Iterator[pl.DataFrame]:
        done = 0
        try:
            for frame in pieces(lazy, plan, rows, content.size, options):
                done += frame.height
                yield frame
        except BaseException as error:
            if not isinstance(error, pl.exceptions.PolarsError):
                raise  # a panic says that the file contradicts itself
            table = _by_duckdb(content, options, done)
            if table is None or [f.name for f in table.info.fields] != [f.name for f in plan.fields]:
                raise ReadError(f"malformed Parquet; the rest of it was not read; write it again{_other_reader()}") from None
            for batch in table.batches():
                done += batch.frame.height
                yield batch.frame
        if options.rows is None and done != rows:
            raise ReadError("malformed Parquet: fewer rows than it says; write it again")

    def first(count: int) -> Iterator[pl.DataFrame]:
        return pieces(lazy, plan, rows, content.size, options._replace(rows=count))

    info = TableInfo(content.source, None, "parquet", True, plan.fields, describe(content))
    return ReadTable(info, frames, options.rows, Scanned(content, lazy, plan, rows, "parquet"), first)


def _by_duckdb(content: Content, options: ReadOptions, skip: int = 0) -> ReadTable | None:
    """The table as DuckDB reads it from row `skip` on, None where it can't or isn't installed."""
    try:
        from piiscan.io import duck

        return duck.parquet(content, options, skip)
    except BaseException as error:
        if not is_failure(error):
            raise
        return None


def _other_reader() -> str:
    """What may help where DuckDB isn't installed: it reads some files that polars doesn't."""
    return "" if find_spec("duckdb") else ", or let DuckDB try: pip install 'piiscan-toolkit[duckdb]'"


def arrow_file(content: Content, options: ReadOptions) -> ReadTable:
    """The table of an Arrow IPC file (Feather version 2)."""
    import polars as pl

    def read() -> tuple[pl.LazyFrame, int]:
        lazy = pl.scan_ipc(content.for_polars(), glob=False, hive_partitioning=False)
        return lazy, _height(lazy)

    return _arrow(content, options, read, "arrow", "malformed Arrow file, or one with a type that isn't read; write it as Parquet")


def arrow_stream(content: Content, options: ReadOptions) -> ReadTable:
    """The table of an Arrow IPC stream, which is read whole and so bounded by `document_bytes`."""
    import polars as pl

    limit = options.limits.document_bytes
    if content.size > limit:
        raise ReadError(f"an Arrow stream above {limit >> 20} MiB; write it as an Arrow file or Parquet, which are read piecewise")

    def read() -> tuple[pl.LazyFrame, int]:
        with content.open() as file:
            frame = pl.read_ipc_stream(file.read())
        return frame.lazy(), int(frame.height)

    return _arrow(content, options, read, "arrow stream", "malformed Arrow stream, or one with a type that isn't read; write it as Parquet")


def _arrow(content: Content, options: ReadOptions, read: Callable[[], tuple[pl.LazyFrame, int]], kind: str, failure: str) -> ReadTable:
    try:
        lazy, rows = read()
        plan = layout(lazy.collect_schema(), options.limits.columns)
    except ReadError:
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        raise ReadError(failure) from None
    info = TableInfo(content.source, None, "arrow", True, plan.fields, describe(content))

    def frames(count: int | None = options.rows) -> Iterator[pl.DataFrame]:
        return pieces(lazy, plan, rows, content.size, options._replace(rows=count))

    return ReadTable(info, frames, options.rows, Scanned(content, lazy, plan, rows, kind), frames)


def _height(lazy: pl.LazyFrame) -> int:
    """The number of rows that the file's metadata tells."""
    import polars as pl

    return int(lazy.select(pl.len()).collect().item())


def pieces(lazy: pl.LazyFrame, plan: Layout, rows: int, size: int, options: ReadOptions) -> Iterator[pl.DataFrame]:
    """All rows in batches. `rows`, `size`: how many there are, and of how many bytes in the file.

    A piece has as many rows as seem to fit into `PIECE_BYTES`, by what rows took before it. (Streaming by polars holds
    groups of rows whole, several of them, and may end early without an error.) Raises `ReadError` where rows are missing.
    """

    if not plan.exprs:
        return
    rows = rows if options.rows is None else min(rows, options.rows)
    packed = max(1, size // max(1, rows))
    together = max(1, len(plan.exprs) // max(1, size // FILE_BYTES))
    at, count = 0, min(options.batch_rows, PIECE_BYTES // max(packed, _CELL * len(plan.exprs)))
    while at < rows:
        count = max(1, min(count, rows - at))
        piece = lazy.slice(at, count)
        parts = [piece.select(plan.exprs[i : i + together]).collect() for i in range(0, len(plan.exprs), together)]
        frame = parts[0] if len(parts) == 1 else parts[0].hstack([c for part in parts[1:] for c in part.iter_columns()])
        if frame.height != count:
            raise ReadError("malformed: fewer rows than it says; write it again")
        at += frame.height
        taken = max(1, int(frame.estimated_size()) // frame.height)
        yield from sliced(plan.finish(frame), options.batch_rows)
        count = min(4 * count, PIECE_BYTES // taken, max(options.batch_rows, FILE_BYTES // packed))
