"""Parquet files, read by polars piece by piece; those that it refuses by DuckDB, where that is installed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, NotScanned, TableInfo
from piiscan.io.cells import long_values
from piiscan.io.cells.long_values import LongValue
from piiscan.io.cells.typed import Layout, holds_categories, layout
from piiscan.io.columnar import dictionaries, map_entries, metadata, parquet_footer, statistics
from piiscan.io.columnar.columnar import LONG, Extent, Scanned, claim, height, pieces, with_asides
from piiscan.io.columnar.dictionaries import Coded
from piiscan.io.columnar.first_look import FirstLook
from piiscan.io.content import Content, Piece, Pieces, ReadTable, describe, is_failure
from piiscan.io.quiet import quiet
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

_PIECE: Final = 1 << 24
"""Bytes, unpacked, that one process reads at a time."""


def parquet_tables(content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
    """Yield the table of a Parquet file, and its metadata as another table. Raises `ReadError`.

    The latter only where the metadata are more than the structure of the columns.
    """
    footer = parquet_footer.footer(content)
    made = [_parquet(content, options, footer)]
    yield from with_asides("parquet", content, options, made, (*footer.metadata, ("created_by", footer.program)))


class _File(NamedTuple):
    """A Parquet file that polars reads.

    `large`: what there is to say of columns that don't fit into memory; `coded`: the dictionaries, in the order of
    their rows.
    """

    scanned: Scanned
    footer: parquet_footer.Footer
    large: LongValue | None
    coded: Sequence[Coded]


def _parquet(content: Content, options: ReadOptions, footer: parquet_footer.Footer) -> ReadTable:
    claim(content, [*footer.parts, *((chunk.start, chunk.end) for group in footer.groups for chunk in group.chunks)])
    try:
        file = _opened(content, options, footer)
    except ReadError:
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        table = _by_duckdb(content, options)
        if table is None:
            raise ReadError(f"malformed Parquet: its metadata can't be read; write it again{_other_reader()}") from None
        return table
    lazy, plan, extent = file.scanned.lazy, file.scanned.plan, file.scanned.extent
    look = FirstLook(extent.rows)

    def frames(start: int = 0) -> Iterator[pl.DataFrame]:
        return _frames(file, look, options, start)

    def first(count: int) -> Iterator[pl.DataFrame]:
        return look.kept(pieces(lazy, plan, extent, options._replace(rows=count)))

    details = (*describe(content), *metadata.masked_with(footer.metadata))
    info = TableInfo(content.source, None, "parquet", True, plan.fields, details)
    shared = _shared(file, options, frames)
    return ReadTable(info, frames, options.rows, file.scanned, first, shared)


def _opened(content: Content, options: ReadOptions, footer: parquet_footer.Footer) -> _File:
    import polars as pl

    with quiet():
        lazy = pl.scan_parquet(content.for_polars(), glob=False, hive_partitioning=False)
        rows = height(lazy, footer.rows)
        schema = lazy.collect_schema()
    plan = layout(schema, options.limits.columns, footer.wide)
    with parquet_footer.opened(content) as file:
        plan, large = _readable(plan, schema, footer, file)
        coded = list(_dictionaries(footer, file))
    extent = _extent(content, footer, rows, _repeated(coded, schema))
    return _File(Scanned(content, lazy, schema, plan, extent, "parquet", footer.wide), footer, large, coded)


def _frames(file: _File, look: FirstLook, options: ReadOptions, start: int) -> Iterator[pl.DataFrame]:
    """All rows from row `start` on."""
    import polars as pl

    content, lazy, schema, plan, extent, *_ = file.scanned
    rows = extent.rows

    def read(start: int) -> Iterator[pl.DataFrame]:
        return pieces(lazy.slice(start) if start else lazy, plan, extent.some(start, rows - start), options)

    done, readable, zeros = start, True, False
    known = dictionaries.as_read(look.whole, lazy, schema)
    try:
        for frame in look.again(start, read):
            done += frame.height
            zeros = zeros or statistics.have_zeros(frame)
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
    if file.large is not None:
        raise file.large
    if options.rows is None and readable:
        with quiet():
            map_entries.check(lazy, schema, file.footer)
            if zeros:
                statistics.check(lazy, file.footer)
            # What was read in pieces has been checked there, but for groups in several of them.
            dictionaries.check(known, (one for one in file.coded if one.start >= start or _is_parted(one, options)))


def _extent(content: Content, footer: parquet_footer.Footer, rows: int, repeated: int) -> Extent:
    if footer.rows is None:
        return Extent(rows, content.size, content.size, (), repeated)
    part = max((sum(chunk.end - chunk.start for chunk in group.chunks) for group in footer.groups), default=0)
    return Extent(rows, content.size, part, tuple(accumulate(group.rows for group in footer.groups)), repeated)


def _shared(file: _File, options: ReadOptions, frames: Callable[[int], Iterator[pl.DataFrame]]) -> Pieces | None:
    """The rows as pieces for several processes, where they can be."""
    (content, _, _, plan, extent, *_), footer, large, coded = file
    path = content.path_for_others()
    if path is None or footer.rows is None or options.rows is not None or large is not None:
        return None
    # Values that stand once and fill many rows are for the table's own reader.
    if extent.repeated:
        return None
    stops = [0, *_stops(footer.groups, options)]
    own = ReadOptions(batch_rows=options.batch_rows)

    def cut() -> Iterator[Piece]:
        at = 0
        for start, end in pairwise(stops):
            first = at
            while at < len(coded) and coded[at].start < end:
                at += 1
            whole = [one for one in coded[first:at] if not _is_parted(one, options)]
            yield Piece(read_rows, (path, plan, own, start, extent.some(start, end - start), whole))

    def rest(done: int, row: int) -> Iterator[Batch]:
        for frame in frames(stops[done]):
            yield Batch(frame, row)
            row += frame.height

    def tell(done: int) -> None:
        content.account.at = content.size * stops[done] // max(1, extent.rows)

    return Pieces(sum(group.size for group in footer.groups), cut, rest, goes_on=False, tell=tell)


def _most_rows(options: ReadOptions) -> int:
    """Rows of a group that is read by one process; a larger one is fetched whole for each part of it."""
    return 2 * options.batch_rows


def _is_parted(one: Coded, options: ReadOptions) -> bool:
    return one.rows is None or one.rows > _most_rows(options)


def _stops(groups: Iterable[parquet_footer.Group], options: ReadOptions) -> Iterator[int]:
    """Behind which rows pieces end: several groups where these are small, and parts of a large one."""
    start = at = size = 0
    most = _most_rows(options)
    for group in groups:
        if group.rows > most:
            if at > start:
                yield at
            parts = -(-group.rows // most)
            yield from (at + group.rows * i // parts for i in range(1, parts))
        at += group.rows
        size += group.size
        if group.rows > most or at - start >= options.batch_rows // 2 or size >= _PIECE:
            yield at
            start, size = at, 0
    if at > start:
        yield at


def read_rows(
    path: str, plan: Layout, options: ReadOptions, start: int, extent: Extent, coded: Sequence[Coded]
) -> Iterator[pl.DataFrame]:
    """The rows of a Parquet file from row `start` on, in any process.

    `coded`: dictionaries of these rows. Raises `ReadError` where the rows can't be read, or have not all values of
    those.
    """
    import polars as pl

    try:
        lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        for frame in long_values.without(pieces(lazy.slice(start, extent.rows), plan, extent, options)):
            if statistics.have_zeros(frame):
                raise ReadError("for the table's own reader")
            yield frame
        with quiet():
            dictionaries.check(lazy, coded)
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


def _dictionaries(footer: parquet_footer.Footer, file: BinaryIO) -> Iterator[Coded]:
    """The dictionaries of all columns' parts, in the order of the rows."""
    start = 0
    for group in footer.groups:
        for chunk in group.chunks:
            if (found := parquet_footer.dictionary(file, chunk)).values:
                is_float = chunk.kind in parquet_footer.FLOATS
                yield Coded((chunk.path,), found.values, start, group.rows, is_float, found.size // found.values)
        start += group.rows


def _repeated(coded: Iterable[Coded], schema: Mapping[str, pl.DataType]) -> int:
    """About how many bytes a row takes of long values that stand once in a file and that polars copies into many rows.

    It does so where categories become texts; texts that it reads as such are in memory once.
    """
    copied: Counter[int] = Counter()
    for one in coded:
        if one.mean >= LONG and holds_categories(schema[one.paths[0][0]]):
            copied[one.start] += one.mean
    return max(copied.values(), default=0)


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
