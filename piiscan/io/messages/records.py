"""Texts whose values have places of their own: each kind of record is a table, and a cell a span of the text.

A module for each notation says where the records and their cells are; reading and writing are the same for all.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core.caches import of_words
from piiscan.core.errors import ReadError
from piiscan.core.types import TEXTS, Field, TableInfo
from piiscan.io import asides
from piiscan.io.content import Content, ReadTable
from piiscan.io.encodings.encoding import Encoding
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

Span = tuple[int, int]
Edit = tuple[int, int, str]
"""Where a part of a text begins and ends, and what takes its place."""
Place = tuple[Any, Any, int]
"""Which cell of a record it is, as the notation counts: a field, which repetition of it, and which part. They sort."""
EMPTY: Final = "—"
"""What is written in a text in the place of a value that goes, and read as none."""
TEXT: Final = "text"
"""The table of lines that are no records, where a notation has such a one."""
LINE: Final = re.compile(r"([^\r\n]*)(?:\r?\n|\r|\Z)")
"""A line and its end; a text ends in an empty one."""
_BLANK: Final = re.compile(r"\s*")
LONGEST_NAME: Final = 60
"""Characters of a table's name: what follows in a record that no table is named after."""


class Record(NamedTuple):
    """What one row is made of.

    `table`: the name of its table; `start` and `end`: where it is, with what ends it; `cells`: where the value of
    each place is; `marks`: what the notation needs to read and write them.
    """

    table: str
    start: int
    end: int
    cells: Mapping[Place, Span]
    marks: Any = None


class Notation(NamedTuple):
    """How messages are written.

    `read`: yields the records of a text, in their order, and appends spans of text that is in none to a list.
    `header`: what the column of a place is called, by table; None for nothing. `plain`: what a cell's characters say.
    `written`: a value as a cell. `fitted`: all changes of a text, with those that follow from them; None where none do.
    `emptied`: what is written in the place of a value that goes, where its place wouldn't be one without.
    """

    read: Callable[[str, list[Span]], Iterator[Record]]
    header: Callable[[str, Place], str | None]
    plain: Callable[[str, Any], str]
    written: Callable[[str, Any], str]
    fitted: Callable[[str, Sequence[Edit]], list[Edit]] | None = None
    emptied: str = ""


class Column:
    """Where the values of a place stand: numbers of `rows` in order, where each value begins, and where it ends."""

    def __init__(self) -> None:
        self.rows, self.starts, self.ends = array("q"), array("q"), array("q")

    def within(self, first: int, stop: int) -> Iterator[tuple[int, Span]]:
        """The rows from `first` on, before `stop`, and where their values stand."""
        for at in range(bisect_left(self.rows, first), bisect_left(self.rows, stop)):
            yield self.rows[at], (self.starts[at], self.ends[at])


class Rows:
    """The records of a table: where each begins and ends, its marks, and the columns by place."""

    def __init__(self) -> None:
        self.starts, self.ends = array("q"), array("q")
        self.marks: list[Any] = []
        self.columns: dict[Place, Column] = {}

    def __len__(self) -> int:
        return len(self.starts)

    def add(self, record: Record) -> None:
        row = len(self)
        self.starts.append(record.start)
        self.ends.append(record.end)
        self.marks.append(record.marks)
        for place, (start, end) in record.cells.items():
            if (column := self.columns.get(place)) is None:
                column = self.columns[place] = Column()
            column.rows.append(row)
            column.starts.append(start)
            column.ends.append(end)

    @property
    def places(self) -> list[Place]:
        return sorted(self.columns)


class Origin(NamedTuple):
    """What it takes to read a table's records again."""

    content: Content
    encoding: Encoding
    kind: str


def tables(
    content: Content,
    encoding: Encoding,
    text: str,
    kind: str,
    notation: Notation,
    options: ReadOptions,
    details: tuple[tuple[str, str], ...],
) -> list[ReadTable]:
    """The tables of a text. Raises `ReadError` for more columns than there may be."""
    found, others = parsed(notation.read, text)
    made = []
    for name, rows in found.items():
        if len(rows.columns) > options.limits.columns:
            raise ReadError(f"more than {options.limits.columns} columns")
        fields = tuple(Field(notation.header(name, place)) for place in rows.places)
        is_text = kind in TEXTS and name == TEXT
        what = kind if is_text or kind not in TEXTS else f"{kind} table"
        info = TableInfo(content.source, None if is_text else name, what, not is_text, fields, details)
        frames = partial(_frames, text, rows, notation, options)
        made.append(ReadTable(info, frames, options.rows, Origin(content, encoding, kind)))
    if options.asides:
        lines = [line for start, end in others if (line := text[start:end].strip())]
        made += [asides.texts(content, "#other lines", lines, copied=True)] if lines else []
    return made


@of_words(1)
def parsed(read: Callable[[str, list[Span]], Iterator[Record]], text: str) -> tuple[dict[str, Rows], tuple[Span, ...]]:
    """The records of a text by table, and the spans of what is in none.

    Of the last text it is known for as long as a call lasts: a mask goes through its tables several times.
    """
    others: list[Span] = []
    return by_table(read(text, others)), tuple(others)


def by_table(records: Iterable[Record]) -> dict[str, Rows]:
    """The records of each table, in their order; those without a cell are no rows."""
    found: dict[str, Rows] = {}
    for record in records:
        if record.cells:
            found.setdefault(record.table[:LONGEST_NAME], Rows()).add(record)
    return found


def _frames(text: str, rows: Rows, notation: Notation, options: ReadOptions) -> Iterator[pl.DataFrame]:
    import polars as pl

    columns = [rows.columns[place] for place in rows.places]
    for first in range(0, len(rows), options.batch_rows):
        stop = min(first + options.batch_rows, len(rows))
        cells: dict[str, list[str | None]] = {}
        for i, column in enumerate(columns):
            own: list[str | None] = [None] * (stop - first)
            for row, (start, end) in column.within(first, stop):
                if start < end:
                    own[row - first] = notation.plain(text[start:end], rows.marks[row]) or None
            cells[str(i)] = own
        yield pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String))


def pieces(text: str, start: int, end: int, mark: str, escape: str = "") -> Iterator[Span]:
    """The spans between marks in a part of a text. What follows an `escape` is no mark."""
    at = start
    if not escape or text.find(escape, start, end) < 0:
        while (stop := text.find(mark, at, end)) >= 0:
            yield at, stop
            at = stop + len(mark)
        yield at, end
        return
    for found in _marks(mark, escape).finditer(text, start, end):
        if found[1]:
            yield at, found.start()
            at = found.end()
    yield at, end


@lru_cache(maxsize=32)
def _marks(mark: str, escape: str) -> re.Pattern[str]:
    return re.compile(f"{re.escape(escape)}.|({re.escape(mark)})", re.DOTALL)


def after_blank(text: str, at: int) -> int:
    """Where white space ends that begins at a place."""
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def plain(text: str, marks: Any) -> str:
    """What a cell of a text says."""
    return "" if text == EMPTY else text


def written_in_line(value: str, marks: Any) -> str:
    """A value as a cell of a text in which cells have no line breaks and no marks of their own."""
    return one_line(value)


def one_line(value: str) -> str:
    """A value without line breaks."""
    return " ".join(value.splitlines())
