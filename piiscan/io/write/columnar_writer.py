"""Parquet and Arrow files: same schema, packed the same way, a piece of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from piiscan.core.errors import ReadError
from piiscan.core.hidden_values import without_values_below_nulls
from piiscan.core.types import Batch
from piiscan.io.cells.typed import Layout
from piiscan.io.columnar import metadata
from piiscan.io.columnar.columnar import Scanned, pieces
from piiscan.io.content import Content, ReadTable
from piiscan.io.printed_names import evident
from piiscan.io.read_options import ReadOptions
from piiscan.io.write import stored_types, wide_columns
from piiscan.io.write.change import Change, applied, key_of, reading, writing
from piiscan.io.write.nested_columns import Nested
from piiscan.io.write.parquet_packing import Packing, packing

if TYPE_CHECKING:
    import polars as pl

_HEAD = 1 << 20
_UNORDERED: Final = {"min": False, "max": False, "distinct_count": False, "null_count": True}
"""What statistics tell where cells are written as numbers, which have another order than their bytes."""


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """One table."""
    from polars.io.plugins import register_io_source

    if len(tables) > 1:
        raise ReadError("several Arrow streams in one file; write each into a file of its own")
    (table,), (change,) = tables, changes
    scanned: Scanned | None = table.origin
    if scanned is None or change is None:
        raise ReadError("a Parquet file that only DuckDB reads; write it again with another program first")
    with reading():
        packed = packing(scanned.content) if scanned.kind == "parquet" else None
    known = stored_types.decoded(packed.types) if packed else {}
    is_parquet = scanned.kind == "parquet"
    nested = Nested(dict(scanned.schema), change, table.info, known, scanned.plan.derived, is_parquet, scanned.wide)
    if any(evident(name, None) for dtype in nested.output.values() for name in _inner_names(dtype)):
        raise ReadError("the name of a field within a column identifies somebody, and stays as it is; rename it first")
    failure: list[BaseException] = []

    def frames(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, batch: int | None
    ) -> Iterator[pl.DataFrame]:
        try:
            for frame in _frames(table, scanned, change, nested):
                frame = wide_columns.cells(frame, nested.wide) if nested.wide else frame
                frame = frame if columns is None else frame.select(columns)
                yield frame if packed else without_values_below_nulls(frame)  # Parquet has no cells for them
        except BaseException as error:
            failure.append(error)  # polars would put its message, which may quote cells, into one of its own
            raise

    try:
        with writing(table.info):
            wide = {name: wide_columns.dtype(is_uuid) for name, is_uuid in nested.wide.items()}
            lazy = register_io_source(frames, schema=nested.output | wide)
            if packed:
                # Other metadata may repeat cells, and stay behind.
                kept = {stored_types.KEY: stored_types.encoded(nested.lost)} if nested.lost else {}
                if key := key_of(change):
                    kept[metadata.KEY] = key
                _to_parquet(lazy, target, packed, kept, nested.wide)
            else:
                _to_arrow(lazy, target, scanned, nested.wide)
    except Exception as error:
        raise (failure[0] if failure else error) from None


def _to_parquet(
    lazy: pl.LazyFrame, target: Path, packed: Packing, kept: dict[str, str], wide: Mapping[str, bool]
) -> None:
    lazy.sink_parquet(
        target,
        compression=cast(Any, packed.codec),
        row_group_size=packed.group_rows,
        metadata=kept or None,
        statistics=_UNORDERED if wide else True,
    )
    if wide:
        wide_columns.say_in_parquet(target, wide)


def _to_arrow(lazy: pl.LazyFrame, target: Path, scanned: Scanned, wide: Mapping[str, bool]) -> None:
    import polars as pl

    codec, level = _codec(scanned.content), pl.CompatLevel.oldest()
    if scanned.kind == "arrow":
        lazy.sink_ipc(target, compression=codec, compat_level=level)
    else:
        lazy.collect().write_ipc_stream(target, compression=codec, compat_level=level)
    if wide:
        wide_columns.say_in_arrow(target, wide.keys())


def _inner_names(dtype: Any) -> Iterator[str]:
    """The names of fields within a type, at any depth."""
    import polars as pl

    if isinstance(dtype, pl.List | pl.Array):
        yield from _inner_names(dtype.inner)
    elif isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            yield field.name
            yield from _inner_names(field.dtype)


def _frames(table: ReadTable, scanned: Scanned, change: Change, nested: Nested) -> Iterator[pl.DataFrame]:
    import polars as pl

    every = Layout((), tuple(pl.col(name) for name in scanned.schema))
    at = 0
    for before in _read(pieces(scanned.lazy, every, scanned.extent, ReadOptions())):
        cells = scanned.plan.apply(before)
        yield nested.frame(before, cells, applied(change, Batch(cells, at), table.info))
        at += before.height


def _read(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Frames of the input, with errors worded as in a scan."""
    from piiscan.io.content import is_failure

    while True:
        try:
            frame = next(frames, None)
        except ReadError:
            raise
        except BaseException as error:
            if not is_failure(error):
                raise
            raise ReadError("malformed; the rest of it was not read; write it again") from None
        if frame is None:
            return
        yield frame


def _codec(content: Content) -> Literal["uncompressed", "lz4", "zstd"]:
    """How the buffers of an Arrow file are packed.

    Each begins with its length, 8 bytes, and then as its packer's files do.
    """
    head = content.head(_HEAD)
    for mark, name in ((b"\x04\x22\x4d\x18", "lz4"), (b"\x28\xb5\x2f\xfd", "zstd")):
        at = head.find(mark)
        while at >= 0:
            if at % 8 == 0:
                return cast(Literal["lz4", "zstd"], name)
            at = head.find(mark, at + 1)
    return "uncompressed"
