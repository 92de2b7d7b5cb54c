"""Tables whose cells are between bars, amid other text: Markdown, what psql, mysql and SAP print, and grids of RST."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, NamedTuple

from piiscan.io.messages.records import EMPTY, LINE, TEXT, Notation, Place, Record, Span, one_line, plain

_DASHES: Final = r"[:=]?[-=]{2,}[:=]?"
_BETWEEN: Final = r"[ \t]?[|+][ \t]?"
_BARRED: Final = rf"[|+][ \t]?{_DASHES}(?:{_BETWEEN}{_DASHES})*+[ \t]?[|+]?"
_RULE: Final = rf"[ \t>]{{0,9}}(?:{_BARRED}|{_DASHES}(?:{_BETWEEN}{_DASHES})++)[ \t]*+"
_RULER: Final = re.compile(_RULE)
_ABOVE: Final = r"(?=[ \t|>]|[^\"\r\n|]*+\|)[^\r\n|]*+\|[^\r\n]*+"
_UNBROKEN: Final = r"-{9,}+[ \t]*+"
_BOXED: Final = r"\|[^\r\n|]++\|[^\r\n]*(?<=\|)"
"""A header below which, as in lists that SAP exports, a ruler has no bars."""
BEGINS: Final = re.compile(rf"^(?:{_ABOVE}\r?\n{_RULE}|{_BOXED}\r?\n{_UNBROKEN})\r?$", re.MULTILINE)
_UNBROKEN_RULER: Final = re.compile(_UNBROKEN)
_BOXED_LINE: Final = re.compile(_BOXED)
_BAR: Final = re.compile(r"\\.|(\|)")
_DIGIT: Final = re.compile(r"\d")
_EMPHASIS: Final = "*_`~ \t"


class _Line(NamedTuple):
    """Where a line begins and ends, and where the next one begins; where its cells are, of one with bars.

    `unbroken`: it is a ruler without bars, which is one below a `boxed` line only.
    """

    at: int
    end: int
    stop: int
    is_ruler: bool
    cells: tuple[Span, ...]
    unbroken: bool
    boxed: bool

    @property
    def has_cells(self) -> bool:
        """Whether it has several cells, or one between bars."""
        return len(self.cells) > 1 or (self.boxed and len(self.cells) == 1)


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    """A record of TEXT for each line, empty where the line is of a table, so that lines keep their numbers."""
    header: list[str] = []
    tables, above = 0, None
    for line, *below in _with_three_below(_lines(text)):
        heads = not header and _heads(text, line, *below)
        if not header and not heads and _is_first(text, above, line):
            header = [""] * len(line.cells)
            tables += 1
        above = line
        if line.has_cells and len(line.cells) <= len(header):
            places: dict[Place, Span] = {(i, header[i], 0): span for i, span in enumerate(line.cells)}
            yield Record(f"table {tables}", line.at, line.stop, places)
        elif heads or (header and _heads(text, line, *below)):
            header = [text[start:end].strip(_EMPHASIS) for start, end in line.cells]
            tables += 1
        elif not (line.is_ruler or (line.unbroken and header)):
            header = []
        end = line.at if line.is_ruler or header else line.end
        yield Record(TEXT, line.at, line.stop, {("", "", 0): (line.at, end)})


def _is_first(text: str, above: _Line | None, line: _Line) -> bool:
    """Whether a line that is no header is the first row of a box, below its upper edge."""
    is_edge = above is not None and above.is_ruler and text[above.at : above.end].lstrip()[:1] == "+"
    return is_edge and line.boxed and line.has_cells


def _heads(text: str, line: _Line, ruler: _Line | None, row: _Line | None, after: _Line | None) -> bool:
    """Whether a line is the header of a table, by the ruler and the row below it.

    A grid has a ruler below each row, too.
    """
    if ruler is None or row is None or not (ruler.is_ruler or (ruler.unbroken and line.boxed)):
        return False
    if not row.has_cells or len(row.cells) > len(line.cells):
        return False
    is_of_grid = after is not None and after.is_ruler and line.boxed and "=" not in text[ruler.at : ruler.end]
    return not is_of_grid or _is_header(text, line, row)


def _is_header(text: str, line: _Line, row: _Line) -> bool:
    """Whether the first of two rows is a header, by its words."""
    from piiscan.rules import rule_sets

    first, second = ([text[slice(*span)] for span in each.cells] for each in (line, row))
    if any(map(_DIGIT.search, first)):
        return False
    return any(map(_DIGIT.search, second)) or any(map(rule_sets.shipped().rules.named, first))


def _with_three_below(lines: Iterator[_Line]) -> Iterator[tuple[_Line, _Line | None, _Line | None, _Line | None]]:
    """Each line, and the three below it."""
    last: list[_Line | None] = []
    for line in chain[_Line | None](lines, (None, None, None)):
        last.append(line)
        if len(last) == 4:
            if last[0] is not None:
                yield last[0], last[1], last[2], last[3]
            del last[0]


def _lines(text: str) -> Iterator[_Line]:
    for found in LINE.finditer(text):
        (at, end), stop = found.span(1), found.end()
        if at == stop:
            return
        is_ruler = _RULER.fullmatch(text, at, end) is not None
        unbroken, boxed = (pattern.fullmatch(text, at, end) is not None for pattern in (_UNBROKEN_RULER, _BOXED_LINE))
        yield _Line(at, end, stop, is_ruler, () if is_ruler else tuple(_cells(text, at, end)), unbroken, boxed)


def _cells(text: str, start: int, end: int) -> Iterator[Span]:
    """The cells of a line, without blanks around them. A bar at its begin or end has no cell before or behind it."""
    at = start
    bars = [found.start() for found in _BAR.finditer(text, start, end) if found[1]]
    for bar in (*bars, end):
        edge = not text[at:bar].strip(" \t>") and (at == start or bar == end)
        if bars and not edge:
            piece = text[at:bar]
            left = at + len(piece) - len(piece.lstrip(" \t"))
            yield left, max(left, at + len(piece.rstrip(" \t")))
        at = bar + 1


def _header(table: str, place: Place) -> str | None:
    return TEXT if table == TEXT else str(place[1]) or None


def _plain(text: str, marks: Any) -> str:
    return plain(text, marks).replace("\\|", "|")


def _written(value: str, marks: Any) -> str:
    return one_line(value).replace("|", "\\|")


NOTATION: Final = Notation(_read, _header, _plain, _written, emptied=EMPTY)
