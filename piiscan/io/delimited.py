"""CSV and its kin: the fast reader where a file keeps to the rules, the forgiving one from the row where it stops doing so."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from piiscan.errors import ReadError
from piiscan.io.content import HEAD_BYTES, Content, ReadTable, describe
from piiscan.io.encoding import Encoding, as_utf8, open_text, undecodable
from piiscan.io.options import ReadOptions
from piiscan.io.sniff import Dialect, records, sniff
from piiscan.types import Field, TableInfo

if TYPE_CHECKING:
    import polars as pl

_NAMES = {"\t": "tab", " ": "space"}


def tables(content: Content, encoding: Encoding, options: ReadOptions, strict: bool) -> list[ReadTable] | None:
    """The table of a delimited text, and one more for the lines before it, if any. None where `strict` (see `sniff`) and
    it doesn't look like a table. Raises `ReadError` and OSError."""
    sample, complete = text_sample(content, encoding)
    dialect = sniff(sample, complete, options.delimiter, options.header, strict)
    if dialect is None:
        return None
    if dialect.width > options.limits.columns:
        raise ReadError(f"more than {options.limits.columns} columns; scan it as text or name its delimiter with --delimiter")
    kind = "tsv" if dialect.delimiter == "\t" else "csv"
    details = (
        ("delimiter", _NAMES.get(dialect.delimiter, dialect.delimiter)),
        ("quote", dialect.quote or "none"),
        ("encoding", encoding.name),
        *((("preamble lines", str(dialect.preamble)),) if dialect.preamble else ()),
        *describe(content),
    )
    fields = tuple(Field(name) for name in dialect.header)
    info = TableInfo(content.source, None, kind, bool(dialect.header_lines), fields, details)
    found = [ReadTable(info, lambda: _Reader(content, encoding, dialect, options).frames(), options.rows)]
    if dialect.preamble:
        lines = sample.replace("\r\n", "\n").replace("\r", "\n").split("\n")[: dialect.preamble]
        found.append(_preamble(content.source, [line for line in lines if line.strip()], details))
    return found


def text_sample(content: Content, encoding: Encoding) -> tuple[str, bool]:
    """The first characters of a text, and whether they are all of it. Raises `ReadError` where they can't be decoded."""
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


@dataclass(frozen=True, slots=True)
class _Reader:
    content: Content
    encoding: Encoding
    dialect: Dialect
    options: ReadOptions

    def frames(self) -> Iterator[pl.DataFrame]:
        """Batches of all rows. Cells come out the same, whichever reader read them and wherever one took over."""
        import polars as pl

        if not self.dialect.is_plain:
            yield from self._forgiving(0)
            return
        content, failure = (self.content, None) if self.encoding.is_utf8 else as_utf8(self.content, self.encoding)
        done = 0
        while True:
            try:
                for frame in self._fast(content, done):
                    done += frame.height
                    yield frame
                break
            except pl.exceptions.PolarsError as error:
                again = content is self.content and self.encoding.lenient and "utf-8" in str(error)
            if not again:
                yield from self._forgiving(done)
                return
            # Bytes of an older encoding far into the file: read on with them decoded as such.
            content, failure = as_utf8(content, self.encoding)
        if failure is not None:
            raise failure

    def _fast(self, content: Content, skip: int) -> Iterator[pl.DataFrame]:
        """The rows from `skip` on by polars, which raises PolarsError (it quotes cells) at what it can't place."""
        import polars as pl

        lazy = pl.scan_csv(
            content.for_polars(),
            has_header=False,
            schema={str(i): pl.String for i in range(self.dialect.width)},
            infer_schema=False,
            separator=self.dialect.delimiter,
            quote_char=self.dialect.quote,
            eol_char=self.dialect.newline,
            skip_lines=self.dialect.preamble + self.dialect.header_lines,
            empty_string_is_null=False,
            missing_columns="insert",
            raise_if_empty=False,
            glob=False,
        )
        if skip:
            lazy = lazy.slice(skip)
        yield from stream(lazy, self.options)

    def _forgiving(self, skip: int) -> Iterator[pl.DataFrame]:
        """The rows from `skip` on by the csv module, which places everything somewhere."""
        import polars as pl

        d, width = self.dialect, self.dialect.width
        schema = {str(i): pl.String for i in range(width)}
        with open_text(self.content, self.encoding, "\r" if d.newline == "\r" else d.newline and "\n") as text:
            lines = _uniform(text, d.newline)
            for _ in islice(lines, d.preamble + d.header_lines):
                pass
            rows = islice((row for row, _ in records(lines, d.delimiter, d.quote, d.escape, d.skip_space)), skip, None)
            try:
                while block := list(islice(rows, self.options.batch_rows)):
                    full = [_fit(row, width, d.delimiter) for row in block]
                    yield pl.DataFrame(full, schema=schema, orient="row")
            except UnicodeDecodeError:
                raise undecodable(self.encoding) from None


def stream(lazy: pl.LazyFrame, options: ReadOptions) -> Iterator[pl.DataFrame]:
    """The only place that calls the unstable `collect_batches`. Batches come in order, each in one chunk of memory."""
    if options.rows is not None:
        lazy = lazy.head(options.rows)
    for frame in lazy.collect_batches(chunk_size=options.batch_rows, maintain_order=True, lazy=True):
        yield frame.rechunk()


def _uniform(text: io.TextIOWrapper, newline: str) -> Iterator[str]:
    """Lines whose only line end is their last character, as the fast reader would see them."""
    for line in text:
        end = line.endswith(("\n", "\r"))
        body = line[:-2] if line.endswith("\r\n") else line[:-1] if end else line
        yield body.replace("\r", " ").replace("\n", " ") + "\n"


def _fit(row: list[str], width: int, delimiter: str) -> list[str]:
    """The row at the width of the table: padded, or with the fields past the last column joined to it."""
    if len(row) == width:
        return row
    if len(row) < width:
        return row + [""] * (width - len(row))
    return [*row[: width - 1], delimiter.join(row[width - 1 :])]
