"""Parquet and Arrow IPC files, read by polars piece by piece.

Parquet that polars refuses is read by DuckDB, where that is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, TypeVar

from piiscan.core import shares
from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, NotScanned, TableInfo
from piiscan.io import asides
from piiscan.io.cells import long_values
from piiscan.io.cells.blobs import without_packed
from piiscan.io.cells.long_values import LongValue
from piiscan.io.cells.typed import Layout, layout
from piiscan.io.columnar import arrow_messages, dictionaries, map_entries, metadata, parquet_footer
from piiscan.io.columnar.dictionaries import Coded
from piiscan.io.columnar.first_look import FirstLook
from piiscan.io.content import Content, Piece, Pieces, ReadTable, describe, is_failure
from piiscan.io.quiet import quiet
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
_PADDING: Final = 1 << 20
_PIECE: Final = 1 << 24
"""Bytes, unpacked, that one process reads at a time."""
_CELL = 16
_LONG = 1 << 10


class Scanned(NamedTuple):
    """A file that polars reads: its columns, how they become the table's, and how many rows there are."""

    content: Content
    lazy: pl.LazyFrame
    plan: Layout
    rows: int
    kind: str


Pairs = Iterable[tuple[str, str]]
"""Metadata: keys and their values."""


def parquet_tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """Yield the table of a Parquet file, and its metadata as another table. Raises `ReadError`.

    The latter only where the metadata are more than the structure of the columns.
    """
    _whole(content)
    footer = parquet_footer.footer(content)
    made = [_parquet(content, options, footer)]
    yield from _with_asides("parquet", content, options, made, (*footer.metadata, ("created_by", footer.program)))


def arrow_tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """The table of an Arrow file, and its metadata as for Parquet. Raises `ReadError`."""
    file = arrow_messages.in_file(content)
    _claim(content, [*file.parts, *_ranges(file.messages)])
    if any(m.kind == arrow_messages.DICTIONARY and m.held > shares.document() for m in file.messages):
        raise ReadError("a dictionary that doesn't fit into memory; allow more with --memory, or write it as Parquet")
    made = [_arrow_file(content, options, _coded(file.messages, file.columns), tuple(_large_batches(file.messages)))]
    yield from _with_asides("arrow", content, options, made, file.metadata)


def stream_tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """The tables of Arrow streams, and their metadata as for Parquet. Raises `ReadError`."""
    streams = arrow_messages.streams(content)
    _claim(content, [part for s in streams for part in ((s.end - 8, s.end), *_ranges(s.messages))])
    messages = [message for s in streams for message in s.messages]
    pairs = [pair for message in messages for pair in message.metadata]
    made = list(_arrow_streams(content, options, streams))
    yield from _with_asides("arrow", content, options, made, pairs)


def _with_asides(
    kind: str, content: Content, options: ReadOptions, tables: Sequence[ReadTable], pairs: Pairs
) -> Iterator[ReadTable]:
    yield from tables
    if not options.asides:
        return
    if found := metadata.table(content, kind, pairs):
        yield found
    schemas = [table.origin.lazy.collect_schema() for table in tables if table.origin]
    if values := [text for schema in schemas for text in dictionaries.categories(schema)]:
        yield asides.texts(content, "categories", values, copied=True)


def _claim(content: Content, ranges: Iterable[tuple[int, int]]) -> None:
    """Accounts for these ranges, and for the zeros between them, which align parts."""
    account, size = content.account, content.size
    for start, end in sorted(ranges):
        account.read(max(0, start), min(end, size))
    with content.open() as file:
        for start, end in account.unread(size):
            file.seek(start)
            if not any(file.read(min(_PADDING, end - start)).strip(b"\0") for _ in range(start, end, _PADDING)):
                account.read(start, end)


def _ranges(messages: Iterable[arrow_messages.Message]) -> Iterator[tuple[int, int]]:
    for message in messages:
        yield message.start, message.body
        yield from message.buffers


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


def _whole(content: Content) -> None:
    """Raises `ReadError` for a Parquet file without its end."""
    with content.open() as file:
        file.seek(max(0, content.size - 4))
        end = file.read()
    if end == b"PARE":
        raise ReadError("encrypted Parquet; decrypt it first")
    if end != b"PAR1" or content.size < 12:
        raise ReadError("truncated Parquet: its end is missing; fetch or write it again")


def _parquet(content: Content, options: ReadOptions, footer: parquet_footer.Footer) -> ReadTable:
    import polars as pl

    _claim(content, [*footer.parts, *((chunk.start, chunk.end) for group in footer.groups for chunk in group.chunks)])
    try:
        with quiet():
            lazy = pl.scan_parquet(content.for_polars(), glob=False, hive_partitioning=False)
            rows = _height(lazy, footer.rows)
            schema = lazy.collect_schema()
        plan = layout(schema, options.limits.columns)
        with content.open() as file:
            plan, large = _readable(plan, schema, footer, file)
            repeated = _repeated(footer, file)
    except ReadError:
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        table = _by_duckdb(content, options)
        if table is None:
            raise ReadError(f"malformed Parquet: its metadata can't be read; write it again{_other_reader()}") from None
        return table

    look = FirstLook(rows)

    def read(start: int) -> Iterator[pl.DataFrame]:
        return pieces(_behind(lazy, start), plan, rows - start, content.size, options, repeated)

    def frames(start: int = 0) -> Iterator[pl.DataFrame]:
        done, readable, known = start, True, dictionaries.as_read(look.whole, lazy)
        try:
            for frame in look.again(start, read):
                done += frame.height
                yield frame
                content.account.at = content.size * done // max(1, rows)
        except BaseException as error:
            if not isinstance(error, pl.exceptions.PolarsError):
                raise  # a panic says that the file contradicts itself
            table = _by_duckdb(content, options, done)
            if table is None or [f.name for f in table.info.fields] != [f.name for f in plan.fields]:
                raise ReadError(
                    f"malformed Parquet; the rest of it was not read; write it again{_other_reader()}"
                ) from None
            for batch in table.batches():
                done += batch.frame.height
                yield batch.frame
            readable = False
        if options.rows is None and done != rows:
            raise ReadError("malformed Parquet: fewer rows than it says; write it again")
        if large is not None:
            raise large
        if options.rows is None and readable:
            with content.open() as file, quiet():
                map_entries.check(lazy, footer)
                dictionaries.check(known, _dictionaries(footer, file))

    def first(count: int) -> Iterator[pl.DataFrame]:
        return look.kept(pieces(lazy, plan, rows, content.size, options._replace(rows=count), repeated))

    details = (*describe(content), *metadata.masked_with(footer.metadata))
    info = TableInfo(content.source, None, "parquet", True, plan.fields, details)
    origin = Scanned(content, lazy, plan, rows, "parquet")
    # Values that stand once and fill many rows are for the table's own reader.
    shared = _groups(content, options, footer, origin, frames, (large, repeated) == (None, 0))
    return ReadTable(info, _watched(frames, plan, lazy), options.rows, origin, first, shared)


def _behind(lazy: pl.LazyFrame, start: int) -> pl.LazyFrame:
    return lazy.slice(start) if start else lazy


def _groups(
    content: Content,
    options: ReadOptions,
    footer: parquet_footer.Footer,
    table: Scanned,
    frames: Callable[[int], Iterator[pl.DataFrame]],
    is_plain: bool,
) -> Pieces | None:
    """The groups of rows as pieces, several where they are small.

    A large one is unpacked whole for each of its rows, so that it is no piece.
    """
    path = content.path_for_others()
    if not is_plain or "Binary" in str(table.lazy.collect_schema()):  # which may be packed files
        return None
    if path is None or options.rows is not None or sum(group.rows for group in footer.groups) != table.rows:
        return None
    if max((group.rows for group in footer.groups), default=0) > 4 * options.batch_rows:
        return None
    starts, rows, size = [0], 0, 0
    for group in footer.groups:
        rows, size = rows + group.rows, size + group.size
        if rows - starts[-1] >= options.batch_rows // 2 or size >= _PIECE:
            starts.append(rows)
            size = 0
    if starts[-1] < rows:
        starts.append(rows)
    own = ReadOptions(batch_rows=options.batch_rows)

    def cut() -> Iterator[Piece]:
        for start, end in pairwise(starts):
            packed = content.size * (end - start) // max(1, rows)
            yield Piece(read_rows, (path, table.plan, own, start, end - start, packed))

    def rest(done: int, row: int) -> Iterator[Batch]:
        for frame in frames(starts[done]):
            yield Batch(frame, row)
            row += frame.height

    def tell(done: int) -> None:
        content.account.at = content.size * starts[done] // max(1, rows)

    return Pieces(sum(group.size for group in footer.groups), cut, rest, goes_on=False, tell=tell)


def read_rows(
    path: str, plan: Layout, options: ReadOptions, start: int, count: int, size: int
) -> Iterator[pl.DataFrame]:
    """Some rows of a Parquet file, of about `size` bytes, in any process.

    Raises `ReadError` where they can't be read.
    """
    import polars as pl

    try:
        lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False).slice(start, count)
        yield from long_values.without(pieces(lazy, plan, count, size, options))
    except BaseException as error:
        if not is_failure(error):
            raise
        raise ReadError("malformed Parquet") from None


def _readable(
    plan: Layout, schema: Mapping[str, pl.DataType], footer: parquet_footer.Footer, file: BinaryIO
) -> tuple[Layout, LongValue | None]:
    """The layout with nulls for columns that have a page above its share of the memory, and what to say of these."""
    import polars as pl

    most = shares.row()
    large = {
        chunk.path[0]
        for group in footer.groups
        for chunk in group.chunks
        if chunk.unpacked > most and parquet_footer.largest_page(file, chunk) > most
    }
    if not large:
        return plan, None
    empty = pl.DataFrame(schema=schema).lazy()
    exprs = []
    left_out: list[int] = []
    for i, expr in enumerate(plan.exprs):
        if large.isdisjoint(expr.meta.root_names()):
            exprs.append(expr)
        else:
            left_out.append(i)
            exprs.append(pl.lit(None, dtype=empty.select(expr).collect_schema()[str(i)]).alias(str(i)))
    what = "one column" if len(left_out) == 1 else f"{len(left_out):,} columns"
    return plan._replace(exprs=tuple(exprs)), LongValue(
        f"a page of a column may take {most >> 20:,} MiB of memory, and those of {what} take more; the rest was read; "
        "allow more with --memory, or write it in smaller pages",
        left_out[0],
    )


def _repeated(footer: parquet_footer.Footer, file: BinaryIO) -> int:
    """About how many bytes a row takes of long values that stand once in a file, in dictionaries, and in many rows."""
    most = 0
    for group in footer.groups:
        found = (parquet_footer.dictionary(file, chunk) for chunk in group.chunks)
        means = (dictionary.size // dictionary.values for dictionary in found if dictionary.values)
        most = max(most, sum(mean for mean in means if mean >= _LONG))
    return most


def _dictionaries(footer: parquet_footer.Footer, file: BinaryIO) -> Iterator[Coded]:
    start = 0
    for group in footer.groups:
        for chunk in group.chunks:
            if values := parquet_footer.dictionary(file, chunk).values:
                yield Coded((chunk.path,), values, start, group.rows, chunk.kind in parquet_footer.FLOATS)
        start += group.rows


def _watched(
    frames: Callable[[], Iterator[pl.DataFrame | Batch]], plan: Layout, lazy: pl.LazyFrame
) -> Callable[[], Iterator[pl.DataFrame | Batch]]:
    """Frames whose bytes are checked for packed files, where there are any bytes."""
    if "Binary" not in str(lazy.collect_schema()):
        return frames
    return lambda: without_packed(frames(), range(len(plan.fields)))


def _by_duckdb(content: Content, options: ReadOptions, skip: int = 0) -> ReadTable | None:
    """The table as DuckDB reads it from row `skip` on, None where it can't or isn't installed."""
    try:
        from piiscan.io.databases import duck

        return duck.parquet(content, options, skip)
    except BaseException as error:
        if not is_failure(error):
            raise
        return None


def _other_reader() -> str:
    """A hint for installations without DuckDB, which reads some files that polars doesn't."""
    return "" if find_spec("duckdb") else ", or let DuckDB try: pip install 'piiscan-toolkit[duckdb]'"


def _arrow_file(content: Content, options: ReadOptions, coded: Sequence[Coded], left_out: Sequence[range]) -> ReadTable:
    """The table of an Arrow IPC file (Feather version 2)."""
    import polars as pl

    def read() -> tuple[pl.LazyFrame, int]:
        lazy = pl.scan_ipc(content.for_polars(), glob=False, hive_partitioning=False)
        return lazy, _height(lazy)

    return _arrow(content, options, read, "arrow", None, coded, left_out)


def _arrow_streams(
    content: Content, options: ReadOptions, streams: Sequence[arrow_messages.Stream]
) -> Iterator[ReadTable]:
    """The tables of Arrow IPC streams: one of all streams with the same columns.

    Streams are read whole and so bounded by `document_bytes`.
    """
    import polars as pl

    limit = min(options.limits.document_bytes, shares.document())
    if max(content.size, sum(message.held for stream in streams for message in stream.messages)) > limit:
        raise ReadError(
            f"an Arrow stream above {limit >> 20} MiB; write it as an Arrow file or Parquet, which are read piecewise, "
            "or allow more with --memory"
        )
    frames: list[pl.DataFrame] = []
    with content.open() as file:
        for stream in streams:
            file.seek(stream.start)
            frames.append(_polars("arrow stream", partial(pl.read_ipc_stream, file.read(stream.end - stream.start))))
    alike: list[tuple[pl.DataFrame, list[arrow_messages.Message]]] = []
    for frame, stream in zip(frames, streams, strict=True):
        if alike and alike[-1][0].schema == frame.schema:
            alike[-1] = pl.concat([alike[-1][0], frame]), [*alike[-1][1], *stream.messages]
        else:
            alike.append((frame, list(stream.messages)))
    for number, (frame, messages) in enumerate(alike):
        name = f"stream {number + 1}" if len(alike) > 1 else None
        yield _arrow(
            content, options, partial(_whole_frame, frame), "arrow stream", name, _coded(messages, messages[0].columns)
        )


def _whole_frame(frame: pl.DataFrame) -> tuple[pl.LazyFrame, int]:
    return frame.lazy(), frame.height


def _arrow(
    content: Content,
    options: ReadOptions,
    read: Callable[[], tuple[pl.LazyFrame, int]],
    kind: str,
    name: str | None,
    coded: Sequence[Coded],
    left_out: Sequence[range] = (),
) -> ReadTable:
    """`left_out`: rows that don't fit into memory."""
    lazy, rows = _polars(kind, read)
    plan = layout(_polars(kind, lazy.collect_schema), options.limits.columns)

    def readable(count: int) -> Iterator[Batch]:
        at = 0
        for gap in (*left_out, range(rows, rows)):
            end = min(count, gap.start)
            part = lazy.slice(at, end - at) if left_out else lazy
            for frame in pieces(part, plan, end - at, content.size, options):
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
    return ReadTable(info, _watched(frames, plan, lazy), options.rows, Scanned(content, lazy, plan, rows, kind), first)


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
    except BaseException as error:
        if not is_failure(error):
            raise
        what = "stream" if kind == "arrow stream" else "file"
        raise ReadError(f"malformed Arrow {what}, or one with a type that isn't read; write it as Parquet") from None


def _height(lazy: pl.LazyFrame, told: int | None = None) -> int:
    """The number of rows that the file's metadata tells: `told`, where it has been read already."""
    import polars as pl

    if told is not None:
        return told
    return int(lazy.select(pl.len()).collect().item())


def pieces(
    lazy: pl.LazyFrame, plan: Layout, rows: int, size: int, options: ReadOptions, repeated: int = 0
) -> Iterator[pl.DataFrame]:
    """All rows in batches.

    `rows`, `size`: how many there are, and of how many bytes in the file. `repeated`: bytes of a row that many rows
    share there.

    A piece has as many rows as seem to fit into `shares.piece`, by what rows took before it. (Streaming by polars holds
    groups of rows whole, several of them, and may end early without an error.) Raises `ReadError` where rows are
    missing.
    """
    if not plan.exprs:
        return
    rows = rows if options.rows is None else min(rows, options.rows)
    # In the file, a piece and the columns read together are about as large: groups of rows are fetched whole.
    most = shares.piece()
    packed = max(1, size // max(1, rows), repeated)
    together = max(1, len(plan.exprs) // max(1, size // most))
    at, count = 0, min(options.batch_rows, most // max(packed, _CELL * len(plan.exprs)))
    while at < rows:
        count = max(1, min(count, rows - at))
        piece = lazy.slice(at, count)
        with quiet():
            parts = [piece.select(plan.exprs[i : i + together]).collect() for i in range(0, len(plan.exprs), together)]
        frame = parts[0] if len(parts) == 1 else parts[0].hstack([c for part in parts[1:] for c in part.iter_columns()])
        if frame.height != count:
            raise ReadError("malformed: fewer rows than it says; write it again")
        at += frame.height
        taken = max(1, int(frame.estimated_size()) // frame.height)
        yield from sliced(plan.finish(frame), options.batch_rows)
        count = min(4 * count, most // taken, max(0 if repeated else options.batch_rows, most // packed))
