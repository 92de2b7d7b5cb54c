"""What Parquet and Arrow files have in common: polars reads their rows piece by piece, every byte is accounted for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core import shares
from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError
from piiscan.io import asides
from piiscan.io.cells.typed import Layout
from piiscan.io.columnar import dictionaries, metadata
from piiscan.io.content import Content, ReadTable
from piiscan.io.quiet import quiet
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

_PADDING: Final = 1 << 20
_CELL: Final = 16
LONG: Final = 1 << 10
"""Bytes of a value in a dictionary from which on it counts how often it is copied."""

Pairs = Iterable[tuple[str, str]]
"""Metadata: keys and their values."""


class Scanned(NamedTuple):
    """A file that polars reads: its columns, how they become the table's, and what rows there are.

    `wide`: columns of 16 bytes a value, which polars takes for bytes of any length, and whether they are UUIDs.
    """

    content: Content
    lazy: pl.LazyFrame
    schema: pl.Schema
    plan: Layout
    extent: Extent
    kind: str
    wide: Mapping[str, bool] = MappingProxyType({})

    @property
    def uuids(self) -> frozenset[str]:
        return frozenset(name for name, is_uuid in self.wide.items() if is_uuid)


class Extent(NamedTuple):
    """How many rows of a file are to be read, and of how many bytes in it.

    The largest `part` of it that can only be fetched as a whole has so many bytes. `ends`: behind which of the rows
    such parts end, ascending. `repeated`: bytes of a row that polars copies from values that stand once in the file.
    """

    rows: int
    size: int
    part: int
    ends: Sequence[int] = ()
    repeated: int = 0

    def some(self, start: int, rows: int) -> Extent:
        """Those of so many rows, from row `start` on."""
        ends = self.ends[bisect_right(self.ends, start) : bisect_right(self.ends, start + rows)]
        size = self.size * rows // max(1, self.rows)
        return self._replace(rows=rows, size=size, ends=tuple(end - start for end in ends))


def claim(content: Content, ranges: Iterable[tuple[int, int]]) -> None:
    """Accounts for these ranges, and for the zeros between them, which align parts."""
    account, size = content.account, content.size
    for start, end in sorted(ranges):
        account.read(max(0, start), min(end, size))
    if not (gaps := account.unread(size)):
        return
    with content.open() as file:
        for start, end in gaps:
            file.seek(start)
            if not any(file.read(min(_PADDING, end - start)).strip(b"\0") for _ in range(start, end, _PADDING)):
                account.read(start, end)


def with_asides(
    kind: str, content: Content, options: ReadOptions, tables: Sequence[ReadTable], pairs: Pairs
) -> Iterator[ReadTable]:
    yield from tables
    if not options.asides:
        return
    if found := metadata.table(content, kind, pairs):
        yield found
    schemas = [table.origin.schema for table in tables if table.origin]
    if values := [text for schema in schemas for text in dictionaries.categories(schema)]:
        yield asides.texts(content, "categories", values, copied=True)


def height(lazy: pl.LazyFrame, told: int | None = None) -> int:
    """The number of rows that the file's metadata tells: `told`, where it has been read already."""
    import polars as pl

    if told is not None:
        return told
    return int(lazy.select(pl.len()).collect().item())


def pieces(lazy: pl.LazyFrame, plan: Layout, extent: Extent, options: ReadOptions) -> Iterator[pl.DataFrame]:
    """All rows in batches.

    A piece has as many rows as seem to fit into `shares.piece`, by what rows took before it, and ends where a part of
    the file does: that part is unpacked once, and lies in one chunk of memory. A text that many rows share is in memory
    once, so that a piece is cut into batches by the length of its texts before anything else is made of these.
    (Streaming by polars holds parts whole, several of them, and may end early without an error.) Raises `ReadError`
    where rows are missing.
    """
    if not plan.exprs:
        return
    rows = extent.rows if options.rows is None else min(extent.rows, options.rows)
    # In the file, a piece and the columns read together are about as large: parts are fetched whole.
    most = shares.piece()
    packed = max(1, extent.size // max(1, extent.rows), extent.repeated)
    together = max(1, len(plan.exprs) // max(1, extent.part // most))
    at, count = 0, min(options.batch_rows, most // max(packed, _CELL * len(plan.exprs)))
    while at < rows:
        stop = min(rows, _stop(extent.ends, at, max(1, count), options.batch_rows))
        piece = lazy.slice(at, stop - at)
        with quiet():
            parts = [piece.select(plan.exprs[i : i + together]).collect() for i in range(0, len(plan.exprs), together)]
        frame = parts[0] if len(parts) == 1 else parts[0].hstack([c for part in parts[1:] for c in part.iter_columns()])
        if frame.height != stop - at:
            raise ReadError("malformed: fewer rows than it says; write it again")
        at = stop
        taken = max(1, int(frame.estimated_size()) // frame.height)
        for part in sliced(frame, options.batch_rows):
            yield from sliced(plan.finish(part), options.batch_rows)
        count = min(4 * frame.height, most // taken, max(0 if extent.repeated else options.batch_rows, most // packed))


def _stop(ends: Sequence[int], at: int, count: int, rows: int) -> int:
    """Where a piece of up to `count` rows ends: with the last part of the file that does so late enough.

    Best within `rows`, which is a batch.
    """
    for most in (min(rows, count), count):
        i = bisect_right(ends, at + most)
        if i and ends[i - 1] > at + most // 2:
            return ends[i - 1]
    return at + count
