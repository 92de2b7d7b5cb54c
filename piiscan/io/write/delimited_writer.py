"""Delimited text in its own dialect: unchanged cells keep their bytes, new ones the quotes of the old."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from piiscan.core.types import Batch, TableInfo
from piiscan.io.content import ReadTable
from piiscan.io.delimited.delimited import Reader, count
from piiscan.io.prefetch import prefetch
from piiscan.io.write import delimited_cells as whole
from piiscan.io.write import delimited_rows as single
from piiscan.io.write.change import Change, Changed, applied, reading, where
from piiscan.io.write.delimited_cells import SplitCells
from piiscan.io.write.encoded import opened
from piiscan.io.write.lines_writer import changed_lines

if TYPE_CHECKING:
    import polars as pl


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """A table and the lines before it, if those are a table too."""
    reader: Reader = tables[0].origin
    with reading():
        content, failure = reader.as_utf8()
    with content.open() as stream, opened(target, reader.content, reader.encoding) as out:
        with reading():
            mark, *lines = reader.top(stream)
        out.write(mark)
        preamble, header = lines[: reader.dialect.preamble], lines[reader.dialect.preamble :]
        if len(tables) > 1 and (change := changes[1]) is not None:
            preamble = changed_lines(preamble, change, tables[1].info, reader.encoding)
        out.write(b"".join(preamble))
        if (change := changes[0]) is not None and header:
            out.write(single.header(header, change, tables[0].info, reader))
        else:
            out.write(b"".join(header))
        for data in _rows(reader, stream, len(mark) + sum(map(len, lines)), content.size, changes[0], tables[0].info):
            out.write(data)
    if failure is not None:
        raise failure
    reader.content.read_whole()


class _Block(NamedTuple):
    """Whole records: in columns, where that is exact (with how the lines end), else row by row."""

    data: bytes
    columns: tuple[SplitCells, str] | None
    records: list[single.Record]


class _Piece(NamedTuple):
    """A block and how its lines end, its cells part by part and what they become."""

    data: bytes
    end: str
    parts: list[tuple[SplitCells, Changed]]


def _rows(
    reader: Reader, stream: BinaryIO, at: int, size: int, change: Change | None, info: TableInfo
) -> Iterator[bytes]:
    """The rows written again, block by block from byte `at` on, in three parallel steps.

    One block is read, another changed and a third written at the same time.
    """
    blocks = prefetch(_blocks(reader, stream, at, size, change is not None))
    if change is None:
        yield from (block.data for block in blocks)
    else:
        for piece in prefetch(_pieces(blocks, change, info, reader)):
            yield piece if isinstance(piece, bytes) else _written(piece, change, info, reader)


def _pieces(blocks: Iterator[_Block], change: Change, info: TableInfo, reader: Reader) -> Iterator[bytes | _Piece]:
    """The results of the blocks, in order: finished text, or cells that are changed but not written yet."""
    row = 0
    for block in blocks:
        if block.columns is None:
            yield from single.rewritten(block.records, change, info, reader, row)
            row += len(block.records)
        else:
            yield _changed(*block.columns, block.data, change, info, reader, row)
            row += block.columns[0].values.height


def _blocks(reader: Reader, stream: BinaryIO, at: int, size: int, parsed: bool) -> Iterator[_Block]:
    while at < size:
        with reading():
            data = reader.block(stream, at, size)
        columns = _exactly(reader, data) if parsed else None
        records = reader.records(data, at + len(data) >= size) if parsed and columns is None else []
        if parsed and columns is None:
            data = b"".join(line for _, lines in records for line in lines)
        at += len(data)
        yield _Block(data, columns, records)


def _exactly(reader: Reader, data: bytes) -> tuple[SplitCells, str] | None:
    """The cells of a block and how its lines end, if writing them gives the same bytes; else None."""
    import polars as pl

    dialect = reader.dialect
    if not dialect.is_plain:
        return None
    newline = dialect.newline.encode()
    first = data[: data.find(newline) + 1]
    end = "\r\n" if first.endswith(b"\r\n") else dialect.newline
    try:
        if dialect.quote is None or dialect.quote.encode() not in data:
            frame = reader.fast(data)
            return (SplitCells(frame, frame, {}), end) if _is_exact(data, frame, reader, end) else None
        mark = whole.unused(data)
        text = None if mark is None else whole.marked(data, dialect, mark)
        if mark is None or text is None:
            return None
        found = whole.unmarked(reader.fast(text), dialect, mark)
    except pl.exceptions.PolarsError:
        return None
    again = whole.to_bytes(found.raw.get_columns(), dialect, end)
    return (found, end) if again == data or again == data + end.encode() else None


def _is_exact(data: bytes, frame: pl.DataFrame, reader: Reader, end: str) -> bool:
    """Whether a block is regular. Without quotes, counting suffices.

    polars refuses rows that are too long, so if no delimiter is missing, no row is short.
    """
    newline, delimiter = reader.dialect.newline.encode(), reader.dialect.delimiter.encode()
    lines = count(data, newline, len(data))
    ends = data.count(b"\r\n") if newline == b"\n" and b"\r" in data else 0
    if ends != (lines if end == "\r\n" else 0) or data.endswith(b"\r") != (newline == b"\r" and data.endswith(newline)):
        return False
    height = lines + (not data.endswith(newline))
    return frame.height == height and count(data, delimiter, len(data)) == height * (frame.width - 1)


def _changed(
    found: SplitCells, end: str, data: bytes, change: Change, info: TableInfo, reader: Reader, row: int
) -> _Piece:
    height = found.values.height
    rows = -(-height // max(1, -(-height // reader.options.batch_rows)))
    parts = [found.slice(start, rows) for start in range(0, height, rows)]
    return _Piece(
        data, end, [(part, applied(change, Batch(part.values, row + i * rows), info)) for i, part in enumerate(parts)]
    )


def _written(piece: _Piece, change: Change, info: TableInfo, reader: Reader) -> bytes:
    parts = [(cells, _raw(cells, changed, change, info, reader)) for cells, changed in piece.parts]
    if not any(raw is not None for _, raw in parts):
        return piece.data
    end = piece.end
    text = b"".join(
        whole.to_bytes(cells.raw.get_columns() if raw is None else raw, reader.dialect, end) for cells, raw in parts
    )
    return text if piece.data.endswith(end.encode()) else text.removesuffix(end.encode())


def _raw(
    cells: SplitCells, changed: Changed, change: Change, info: TableInfo, reader: Reader
) -> list[pl.Series] | None:
    """The raw cells of the output, None where they are those of the input."""
    import polars as pl

    kept, columns = changed.kept, change.columns
    is_same = kept is None and len(columns) == len(info.fields)
    out: list[pl.Series] = []
    for i, column in enumerate(columns):
        old, raw, quoted = (
            cells.values.to_series(column.origin),
            cells.raw.to_series(column.origin),
            cells.quoted.get(column.origin),
        )
        if kept is not None:
            old, raw, quoted = old.filter(kept), raw.filter(kept), None if quoted is None else quoted.filter(kept)
        if not column.same:
            new = whole.as_text(changed.frame[str(i)])
            stays = new.eq_missing(old)
            if not stays.all():
                is_same = False
                text = whole.written(new, reader.dialect, quoted, f"{where(info)}, column {column.origin}")
                raw = pl.select(pl.when(pl.lit(stays)).then(pl.lit(raw)).otherwise(pl.lit(text))).to_series()
        out.append(raw)
    return None if is_same else out
