"""CSV and related formats: a fast reader for regular blocks, a tolerant one for the others."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from piiscan.core import shares
from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, Field, TableInfo
from piiscan.io.cells import long_values
from piiscan.io.cells.long_values import LeftOut
from piiscan.io.content import HEAD_BYTES, Content, Piece, Pieces, ReadTable, describe
from piiscan.io.content_kinds import ending
from piiscan.io.delimited.delimiters import NONE
from piiscan.io.delimited.sniff import ONE_COLUMN, Dialect, NoTable, sniff
from piiscan.io.delimited.splitting import RECORD_CHARS, records
from piiscan.io.encodings.encoding import Encoding, as_utf8, open_text, undecodable
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 1 << 24
_FEW_BYTES: Final = 1 << 13
"""Up to here a block is split before polars has begun."""
_TAIL = 1 << 16
_CELLS = 1 << 18
_IN_CACHE = 1 << 19
_PACKED = (b"x", b"(", b"\x1f", b"\xef")


def tables(
    content: Content, encoding: Encoding, options: ReadOptions, strict: bool, sample: str, complete: bool
) -> list[ReadTable] | NoTable:
    """The table of a delimited text or a list, and one more for the lines before it, if any.

    `NoTable` where `strict` (see `sniff`) and it looks like neither. `sample`, `complete`: as `text_sample` gives them.
    Raises `ReadError` and OSError.
    """
    suffix = ending(content.source, content.compression)
    dialect = sniff(sample, complete, options.delimiter, options.header, strict, suffix)
    if isinstance(dialect, NoTable):
        return dialect
    if dialect.width > options.limits.columns:
        raise ReadError(
            f"more than {options.limits.columns} columns; name its delimiter with --delimiter if this isn't so"
        )
    kind = "tsv" if dialect.delimiter == "\t" else "csv"
    details = (
        ("delimiter", ONE_COLUMN if dialect.delimiter == NONE else dialect.delimiter),
        ("quote", dialect.quote or "none"),
        ("encoding", encoding.name),
        *((("preamble lines", str(dialect.preamble)),) if dialect.preamble else ()),
        *describe(content),
    )
    fields = tuple(
        Field(name, comment=comment) for name, comment in zip_longest(dialect.header, dialect.comments[: dialect.width])
    )
    info = TableInfo(content.source, None, kind, bool(dialect.header_lines), fields, details, dialect.notes)
    reader = Reader(content, encoding, dialect, options)
    found = [ReadTable(info, reader.frames, options.rows, reader, pieces=reader.pieces())]
    lines = sample.replace("\r\n", "\n").replace("\r", "\n").split("\n")[: dialect.preamble] if dialect.preamble else []
    if any(line.strip() for line in lines):
        found.append(_preamble(content.source, [line for line in lines if line.strip()], details))
    return found


def text_sample(content: Content, encoding: Encoding) -> tuple[str, bool]:
    """The first characters of a text, and whether they are all of it.

    Raises `ReadError` where they can't be decoded.
    """
    try:
        with open_text(content, encoding) as stream:
            sample = stream.read(HEAD_BYTES)
            return sample, not stream.read(1)
    except UnicodeDecodeError:
        raise undecodable(encoding) from None


def _preamble(source: str, lines: list[str], details: tuple[tuple[str, str], ...]) -> ReadTable:
    """The lines before a table as a table of their own, so that what they hold is scanned."""

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        yield pl.DataFrame({"0": lines}, schema={"0": pl.String})

    return ReadTable(TableInfo(source, "preamble", "text", False, (Field("text"),), details), frames)


class LongLine(ReadError):
    """A line from byte `start` on that is above its share of the memory."""

    def __init__(self, start: int) -> None:
        super().__init__("a line that doesn't fit into memory; allow more with --memory, or break it up")
        self.start = start


class Reader(NamedTuple):
    """Reads blocks of whole records one after the other.

    Each goes to polars, or, where that can't place something in it, to the csv module. (Polars' own streaming doesn't
    do: before it fails it may give rows from behind the failure.)

    Where blocks are cut depends on the bytes alone, so the cells are the same for any `batch_rows`.
    """

    content: Content
    encoding: Encoding
    dialect: Dialect
    options: ReadOptions

    def frames(self) -> Iterator[pl.DataFrame]:
        """Batches of all rows. Raises `ReadError` where the text can't be decoded, or a line is too long."""
        content, failure = self.as_utf8()
        with content.open() as stream:
            yield from self._from(stream, self._first_row(stream), content.size, 0, failure)

    def _from(
        self, stream: BinaryIO, at: int, size: int, row: int, failure: ReadError | None = None
    ) -> Iterator[pl.DataFrame]:
        """Batches of all rows from the byte `at` on, where row number `row` begins. `failure`: why the text ends."""
        left_out = LeftOut()
        while at < size:
            try:
                data = self.block(stream, at, size)
            except LongLine:
                end = self._line_end(stream, at, size)
                left_out.row(row)
                at, row = end, row + 1
                continue
            frame, used = self._parse(data, at + len(data) >= size)
            at, row = at + used, row + frame.height
            self.content.account.at = at
            yield from self._batches(frame)
        if failure is not None:
            raise failure
        self.content.read_whole()
        if (error := left_out.error()) is not None:
            raise error

    def _batches(self, frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
        parts = max(1, -(-frame.height // self.options.batch_rows))
        yield from sliced(frame, max(1, -(-frame.height // parts)))

    def _first_row(self, stream: BinaryIO) -> int:
        return sum(map(len, self.top(stream)))

    def pieces(self) -> Pieces | None:
        """The blocks as pieces, where polars can place what is in them, and a process can find the text."""
        path = self.content.path_for_others()
        if not self.encoding.is_utf8 or not self.dialect.is_plain or self.options.rows is not None or path is None:
            return None
        ends: list[int] = []
        options = ReadOptions(batch_rows=self.options.batch_rows)

        def cut() -> Iterator[Piece]:
            with self.content.open() as stream:
                at, size = self._first_row(stream), self.content.size
                ends.append(at)
                while at < size:
                    try:
                        end = at + self._block(stream, at, size)[1]
                    except LongLine:  # its reader leaves it out
                        return
                    yield Piece(read_block, (path, self.encoding, self.dialect, options, at, end))
                    at = end
                    ends.append(at)

        def rest(done: int, row: int) -> Iterator[Batch]:
            with self.content.open() as stream:
                for frame in self._from(stream, ends[done], self.content.size, row):
                    yield Batch(frame, row)
                    row += frame.height

        def tell(done: int) -> None:
            self.content.account.at = ends[done]

        return Pieces(self.content.size, cut, rest, goes_on=True, tell=tell)

    def regular(self, at: int, end: int) -> Iterator[pl.DataFrame] | None:
        """Batches of the rows of a block; None where polars can't place something in it, or a value is too long."""
        with self.content.open() as stream:
            data = _read(stream, at, end - at)
        if (frame := self._by_polars(data)) is None:
            return None
        try:
            return iter(list(long_values.without(self._batches(frame))))
        except long_values.LongValue:
            return None

    def as_utf8(self) -> tuple[Content, ReadError | None]:
        """The text as UTF-8, and the error that ended it early."""
        return (self.content, None) if self.encoding.is_utf8 else as_utf8(self.content, self.encoding)

    def top(self, stream: BinaryIO) -> list[bytes]:
        """What precedes the rows: the byte order mark or nothing, and the lines of preamble and header.

        Lines keep their ends.
        """
        head = stream.read(8 * HEAD_BYTES)
        mark = codecs.BOM_UTF8 if head.startswith(codecs.BOM_UTF8) else b""
        ends = {"\n": rb"\n", "\r": rb"\r"}.get(self.dialect.newline, rb"\r\n?|\n")
        lines, at = [], len(mark)
        for end in islice(re.finditer(ends, head), self.dialect.preamble + self.dialect.header_lines):
            lines.append(head[at : end.end()])
            at = end.end()
        if len(lines) < self.dialect.preamble + self.dialect.header_lines:
            lines.append(head[at:])
        return [mark, *lines]

    def _line_end(self, stream: BinaryIO, at: int, size: int) -> int:
        """Where the line that begins at `at` ends, or the text."""
        end = b"\r" if self.dialect.newline == "\r" else b"\n"
        for start in range(at, size, BLOCK_BYTES):
            if (found := _read(stream, start, min(BLOCK_BYTES, size - start)).find(end)) >= 0:
                return start + found + 1
        return size

    def block(self, stream: BinaryIO, at: int, size: int) -> bytes:
        """The bytes of whole records from `at` on; a record is whole where the quotes are even. Raises `LongLine`."""
        data, end = self._block(stream, at, size)
        return data if end == len(data) else data[:end]

    def _block(self, stream: BinaryIO, at: int, size: int) -> tuple[bytes, int]:
        """Bytes that begin with such a block, and where it ends in them."""
        end, quote = (b"\r" if self.dialect.newline == "\r" else b"\n"), (self.dialect.quote or "").encode()
        want = BLOCK_BYTES
        while True:
            if at + want >= size:
                return _read(stream, at, size - at), size - at
            tail = _read(stream, at + want - _TAIL, _TAIL)
            cut = want - _TAIL + tail.rfind(end) + 1
            data = _read(stream, at, cut if cut > want - _TAIL else want)
            cut = last = data.rfind(end) + 1
            if quote and self.dialect.is_plain and quote in data:
                odd = count(data, quote, cut) % 2
                while odd and cut:
                    before = data.rfind(end, 0, cut - 1) + 1
                    odd ^= data.count(quote, before, cut) % 2
                    cut = before
            if cut:
                return data, cut
            if last and want > RECORD_CHARS:
                return data, last
            if want >= max(2 * BLOCK_BYTES, shares.row()):
                raise LongLine(at)
            want *= 2

    def _parse(self, data: bytes, is_last: bool) -> tuple[pl.DataFrame, int]:
        """The rows of a block, and how many of its bytes they took: an unfinished record is left to the next block."""
        if self.dialect.is_plain and (frame := self._by_polars(data)) is not None:
            return frame, len(data)
        return self._forgiving(data, is_last)

    def _by_polars(self, data: bytes) -> pl.DataFrame | None:
        """The rows of a block; None where polars can't place something in it."""
        import polars as pl

        if len(data) <= _FEW_BYTES and (frame := self._split(data)) is not None:
            return frame
        try:
            frame = self.fast(data)
        except pl.exceptions.PolarsError as error:
            if "utf-8" not in str(error) or not self.encoding.lenient:
                return None
            try:
                frame = self.fast(data.decode("utf-8", self.encoding.errors).encode())
            except pl.exceptions.PolarsError:
                return None
        return frame if self._is_credible(data, frame) else None

    def _split(self, data: bytes) -> pl.DataFrame | None:
        """The rows of a small block as polars would give them; starting polars would take longer.

        None where something other than delimiters and line ends divides it.
        """
        import polars as pl

        d = self.dialect
        if d.newline != "\n" or d.width < 2 or not data.isascii() or b"\r" in data or b"\0" in data:
            return None
        text = data.decode()
        if d.quote is not None and d.quote in text:
            return None
        rows = [line.split(d.delimiter) for line in text.removesuffix("\n").split("\n")]
        if any(len(row) != d.width for row in rows):
            return None
        cells = zip(*rows, strict=True)
        return pl.DataFrame([pl.Series(str(i), column, pl.String) for i, column in enumerate(cells)])

    def _is_credible(self, data: bytes, frame: pl.DataFrame) -> bool:
        """Whether there is a row for each line, where no quotes could join lines."""
        end, quote = self.dialect.newline.encode(), self.dialect.quote
        if quote is not None and quote.encode() in data:
            return True
        return frame.height == count(data, end, len(data)) + (not data.endswith(end))

    def fast(self, data: bytes) -> pl.DataFrame:
        """The rows by polars, which raises PolarsError (it quotes cells) at what it can't place."""
        import polars as pl

        # Polars unpacks what starts like a packed file ("x^" does), and drops a byte order mark.
        needs_padding = data[:1] in _PACKED
        return pl.scan_csv(
            self.dialect.newline.encode() + data if needs_padding else data,
            skip_lines=int(needs_padding),
            has_header=False,
            schema={str(i): pl.String for i in range(self.dialect.width)},
            infer_schema=False,
            separator=self.dialect.delimiter,
            quote_char=self.dialect.quote,
            eol_char=self.dialect.newline,
            empty_string_is_null=False,
            missing_columns="insert",
            raise_if_empty=False,
            glob=False,
        ).collect(engine="in-memory")

    def _forgiving(self, data: bytes, is_last: bool) -> tuple[pl.DataFrame, int]:
        import polars as pl

        width, used = self.dialect.width, 0
        schema = {str(i): pl.String for i in range(width)}
        frames = [pl.DataFrame(schema=schema)]
        rows: list[list[str]] = []
        for row, lines in self._records(data, is_last):
            rows.append(fit(row, width, self.dialect.delimiter))
            used += sum(map(len, lines))
            if len(rows) * (width + 1) > _CELLS:  # in Python they take many times what they take in a frame
                frames.append(pl.DataFrame(rows, schema=schema, orient="row"))
                rows = []
        frames.append(pl.DataFrame(rows, schema=schema, orient="row"))
        return pl.concat(frames), used

    def records(self, data: bytes, is_last: bool) -> list[tuple[list[str], list[bytes]]]:
        """The rows by the csv module, which places everything somewhere, each with its lines.

        An unfinished one is left out.
        """
        return list(self._records(data, is_last))

    def _records(self, data: bytes, is_last: bool) -> Iterator[tuple[list[str], list[bytes]]]:
        d, lines = self.dialect, _lines(data, self.dialect.newline)
        decoded = (_line(line, self.encoding.errors) for line in lines)
        at = 0
        try:
            for row, count in records(
                decoded, d.delimiter, d.quote, d.escape, d.skip_space, is_last or len(data) > RECORD_CHARS
            ):
                yield row, lines[at : at + count]
                at += count
        except UnicodeDecodeError:
            raise undecodable(self.encoding) from None
        if not (at or is_last):
            yield from self._records(data, is_last=True)


def read_block(
    path: str, encoding: Encoding, dialect: Dialect, options: ReadOptions, at: int, end: int
) -> Iterator[pl.DataFrame] | None:
    """The rows of a block of a text in any process, as `Reader.regular` does."""
    return Reader(Content("", path), encoding, dialect, options).regular(at, end)


def count(data: bytes, byte: bytes, end: int) -> int:
    """`data.count(byte, 0, end)`, while other threads go on."""
    import numpy as np

    found = 0
    same = np.empty(_IN_CACHE, dtype=np.bool_)
    for at in range(0, end, _IN_CACHE):
        part = np.frombuffer(data, dtype=np.uint8, count=min(_IN_CACHE, end - at), offset=at)
        found += int(np.count_nonzero(np.equal(part, byte[0], out=same[: len(part)])))
    return found


def _read(stream: BinaryIO, at: int, count: int) -> bytes:
    stream.seek(at)
    data = stream.read(count)
    if len(data) < count:
        raise ReadError("changed while it was read; scan it again")
    return data


def _lines(data: bytes, newline: str) -> list[bytes]:
    """The lines with their ends."""
    if newline:
        end = newline.encode()
        lines = [line + end for line in data.split(end)]
        lines[-1] = lines[-1][: -len(end)]
    else:
        lines = data.splitlines(keepends=True)
    return lines if lines and lines[-1] else lines[:-1]


def _line(line: bytes, errors: str) -> str:
    """A line as text; a line end inside it, which the csv module would stop at, as white space."""
    text = line.decode("utf-8", errors)
    body = text.rstrip("\r\n")
    return body.replace("\r", " ").replace("\n", " ") + text[len(body) :]


def fit(row: list[str], width: int, delimiter: str) -> list[str]:
    """The row at the width of the table: padded, or with the fields past the last column joined to it."""
    if len(row) == width:
        return row
    if len(row) < width:
        return row + [""] * (width - len(row))
    return [*row[: width - 1], delimiter.join(row[width - 1 :])]
