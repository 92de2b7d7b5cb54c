"""Arrow IPC files and streams, read by polars piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from piiscan.core import shares
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import Batch, NotScanned, TableInfo
from piiscan.io import arrow_frames
from piiscan.io.cells.long_values import LongValue
from piiscan.io.cells.typed import layout
from piiscan.io.columnar import arrow_messages, dictionaries
from piiscan.io.columnar.columnar import LONG, Extent, Scanned, claim, height, pieces, with_asides
from piiscan.io.columnar.dictionaries import Coded
from piiscan.io.content import Content, ReadTable, describe, is_failure
from piiscan.io.quiet import quiet
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")


def arrow_tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """The table of an Arrow file, and its metadata as for Parquet. Raises `ReadError`."""
    file = arrow_messages.in_file(content)
    claim(content, [*file.parts, *_ranges(file.messages)])
    if any(m.kind == arrow_messages.DICTIONARY and m.held > shares.document() for m in file.messages):
        raise ReadError("a dictionary that doesn't fit into memory; allow more with --memory, or write it as Parquet")
    made = [_arrow_file(content, options, file)]
    yield from with_asides("arrow", content, options, made, file.metadata)


def stream_tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """The tables of Arrow streams, and their metadata as for Parquet. Raises `ReadError`."""
    streams = arrow_messages.streams(content)
    claim(content, [part for s in streams for part in ((s.end - 8, s.end), *_ranges(s.messages))])
    messages = [message for s in streams for message in s.messages]
    pairs = [pair for message in messages for pair in message.metadata]
    made = list(_arrow_streams(content, options, streams))
    yield from with_asides("arrow", content, options, made, pairs)


def _ranges(messages: Iterable[arrow_messages.Message]) -> Iterator[tuple[int, int]]:
    for message in messages:
        yield message.start, message.body
        yield from message.buffers


def _ends(messages: Iterable[arrow_messages.Message]) -> Iterator[int]:
    """Behind which rows record batches end."""
    return accumulate(message.values for message in messages if message.kind == arrow_messages.RECORDS)


def _repeated(messages: Iterable[arrow_messages.Message]) -> int:
    """About how many bytes a row takes of long values in dictionaries, which polars copies into every row."""
    most: dict[int, int] = {}
    for message in messages:
        if message.kind == arrow_messages.DICTIONARY and (mean := message.held // max(1, message.values)) >= LONG:
            most[message.id] = max(most.get(message.id, 0), mean)
    return sum(most.values())


def _large_batches(messages: Sequence[arrow_messages.Message]) -> Iterator[range]:
    """The rows of record batches that don't fit into memory: polars reads them whole."""
    at = 0
    for message in messages:
        if message.kind == arrow_messages.RECORDS:
            if message.held > shares.document():
                yield range(at, at + message.values)
            at += message.values


def _coded(messages: Sequence[arrow_messages.Message], columns: Sequence[arrow_messages.Dictionary]) -> list[Coded]:
    """The columns of Arrow messages that share a dictionary, and the most values that it has at a time."""
    most: dict[int, int] = {}
    now: dict[int, int] = {}
    for message in messages:
        if message.kind == arrow_messages.DICTIONARY:
            now[message.id] = message.values + (now.get(message.id, 0) if message.is_delta else 0)
            most[message.id] = max(most.get(message.id, 0), now[message.id])
    paths: dict[int, list[tuple[str, ...]]] = {}
    for column in columns:
        paths.setdefault(column.id, []).append(column.path)
    return [Coded(tuple(paths[i]), values) for i, values in most.items() if i in paths]


def _arrow_file(content: Content, options: ReadOptions, file: arrow_messages.File) -> ReadTable:
    """The table of an Arrow IPC file (Feather version 2)."""
    import polars as pl

    def read() -> tuple[pl.LazyFrame, int]:
        if file.is_odd:
            _bounded(content, options, file.messages, "an Arrow file with types that are only read whole")
            with content.open() as stream:
                return _whole_frame(_by_pyarrow(stream.read(), "open_file", file.columns))
        lazy = pl.scan_ipc(content.for_polars(), glob=False, hive_partitioning=False)
        return lazy, height(lazy)

    left_out = tuple(_large_batches(file.messages))
    return _arrow(content, options, read, "arrow", None, file.messages, file, left_out)


def _arrow_streams(
    content: Content, options: ReadOptions, streams: Sequence[arrow_messages.Stream]
) -> Iterator[ReadTable]:
    """The tables of Arrow IPC streams: one of all streams with the same columns.

    Streams are read whole and so bounded by `document_bytes`.
    """
    import polars as pl

    _bounded(content, options, [message for stream in streams for message in stream.messages], "an Arrow stream")
    frames: list[pl.DataFrame] = []
    with content.open() as file:
        for stream in streams:
            file.seek(stream.start)
            data, head = file.read(stream.end - stream.start), stream.messages[0]
            read_one = partial(_by_pyarrow, data, "open_stream", head.columns) if head.is_odd else None
            frames.append(_polars("arrow stream", read_one or partial(pl.read_ipc_stream, data)))
    alike: list[tuple[pl.DataFrame, list[arrow_messages.Message]]] = []
    for frame, stream in zip(frames, streams, strict=True):
        if alike and alike[-1][0].schema == frame.schema:
            alike[-1] = pl.concat([alike[-1][0], frame]), [*alike[-1][1], *stream.messages]
        else:
            alike.append((frame, list(stream.messages)))
    for number, (frame, messages) in enumerate(alike):
        name = f"stream {number + 1}" if len(alike) > 1 else None
        read = partial(_whole_frame, frame)
        yield _arrow(content, options, read, "arrow stream", name, messages, messages[0])


def _bounded(content: Content, options: ReadOptions, messages: Iterable[arrow_messages.Message], what: str) -> None:
    """Raise `ReadError` for what is read whole, and doesn't fit into memory."""
    limit = min(options.limits.document_bytes, shares.document())
    if max(content.size, sum(message.held for message in messages)) > limit:
        raise ReadError(
            f"{what} above {limit >> 20} MiB; write it as an Arrow file or Parquet, which are read piecewise, "
            "or allow more with --memory"
        )


def _by_pyarrow(data: bytes, how: str, columns: Sequence[arrow_messages.Dictionary]) -> pl.DataFrame:
    """What has types that polars doesn't read, decoded. Raises `ReadError`."""
    try:
        ipc = import_module("pyarrow.ipc")
    except ImportError:
        raise ReadError(
            "Arrow with a type that polars doesn't read (run-end encoded, a view of lists, an interval or a union): "
            "pip install pyarrow, or write it as Parquet"
        ) from None
    if columns:  # whose values that no row has would be looked for in vain
        raise ReadError("Arrow with dictionaries beside types that polars doesn't read; write it as Parquet")
    try:
        with quiet():
            table = getattr(ipc, how)(data).read_all()
            table.validate(full=True)
            return arrow_frames.to_polars(table)
    except UsageError as error:  # says which column is of what type
        raise ReadError(str(error)) from None


def _whole_frame(frame: pl.DataFrame) -> tuple[pl.LazyFrame, int]:
    return frame.lazy(), frame.height


def _arrow(
    content: Content,
    options: ReadOptions,
    read: Callable[[], tuple[pl.LazyFrame, int]],
    kind: str,
    name: str | None,
    messages: Sequence[arrow_messages.Message],
    said: arrow_messages.File | arrow_messages.Message,
    left_out: Sequence[range] = (),
) -> ReadTable:
    """`messages`: of the file or stream; `said`: what says its columns. `left_out`: rows that don't fit into memory."""
    lazy, rows = _polars(kind, read)
    extent = Extent(rows, content.size, content.size, tuple(_ends(messages)), _repeated(messages))
    coded = _coded(messages, said.columns)
    schema = _polars(kind, lazy.collect_schema)
    if not schema and any(message.buffers for message in messages):
        raise arrow_messages.damaged()  # of a schema; records have cells
    plan = layout(schema, options.limits.columns, said.wide)

    def readable(count: int) -> Iterator[Batch]:
        at = 0
        for gap in (*left_out, range(rows, rows)):
            end = min(count, gap.start)
            part = lazy.slice(at, end - at) if left_out else lazy
            for frame in pieces(part, plan, extent.some(at, end - at), options):
                yield Batch(frame, at)
                at += frame.height
            at = gap.stop

    def frames() -> Iterator[Batch]:
        yield from readable(rows)
        if left_out:
            raise LongValue(_in_one_batch(left_out))
        if options.rows is None:
            with quiet():
                dictionaries.check(lazy, coded)

    def first(count: int) -> Iterator[Batch]:
        return readable(min(count, rows))

    info = TableInfo(content.source, name, "arrow", True, plan.fields, describe(content))
    scanned = Scanned(content, lazy, schema, plan, extent, kind, said.wide)
    return ReadTable(info, frames, options.rows, scanned, first)


def _in_one_batch(rows: Sequence[range]) -> str:
    others = f"; so are {len(rows) - 1:,} other batches" if len(rows) > 1 else ""
    return (
        f"rows {rows[0].start + 1:,} to {rows[0].stop:,} are in a record batch that doesn't fit into memory{others}; "
        "the rest was read; allow more with --memory, or write it in smaller batches"
    )


def _polars(kind: str, read: Callable[[], T]) -> T:
    """What polars makes of an Arrow file or stream. Raises `ReadError` where it can't."""
    try:
        with quiet():
            return read()
    except ReadError:
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        what = "stream" if kind == "arrow stream" else "file"
        raise ReadError(f"malformed Arrow {what}, or one with a type that isn't read; write it as Parquet") from None
