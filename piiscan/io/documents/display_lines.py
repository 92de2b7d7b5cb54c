"""The lines of a text in which columns stand below each other: by characters, or by their width on a terminal.

Python pads cells to numbers of characters, psql and mysql to columns of a terminal, where a Chinese character takes
two. Places are columns here; `Lines` translates between them and the characters of a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from piiscan.core import display_width
from piiscan.io.messages.records import LINE, Span

_FILLER: Final = "\ufeff"
"""Stands for the second column of a wide character; it is no blank."""


class Lines:
    """Where each line of a text begins and ends, and where the next one begins; and each line by its columns."""

    def __init__(self, text: str, by_width: bool = False) -> None:
        self.text, self._by_width = text, by_width
        found = [(*match.span(1), match.end()) for match in LINE.finditer(text)]
        self.spans = found[:-1] if found and found[-1][0] == found[-1][2] else found

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, number: int) -> str:
        """A line, with a character for each column."""
        line = self.line(number)
        return _columns(line)[0] if self._is_other(line) else line

    def line(self, number: int) -> str:
        """A line as it is written."""
        start, end, _ = self.spans[number]
        return self.text[start:end]

    def is_blank(self, number: int) -> bool:
        return not self.line(number).strip()

    def width(self, text: str) -> int:
        """How many columns a text takes."""
        return display_width.width(text) if self._by_width else len(text)

    def padded(self, text: str, width: int, right: bool = False) -> str:
        """A text with as many blanks as it needs to take so many columns. `right`: in front of it."""
        blanks = " " * (width - self.width(text))
        return blanks + text if right else text + blanks

    def character(self, number: int, column: int) -> int:
        """Which character of a line begins at a column."""
        line = self.line(number)
        if not self._is_other(line):
            return min(column, len(line))
        places = _columns(line)[1]
        return places[column] if column < len(places) else len(line)

    def column(self, number: int, character: int) -> int:
        """At which column a character of a line begins."""
        line = self.line(number)
        return display_width.width(line[:character]) if self._is_other(line) else character

    def cells(self, number: int, gaps: Sequence[Span]) -> list[Span]:
        """The characters of a line that each column has, blanks at its ends included."""
        starts = [0, *(self.character(number, stop) for _, stop in gaps)]
        ends = [*(self.character(number, start) for start, _ in gaps), len(self.line(number))]
        return [(start, max(start, end)) for start, end in zip(starts, ends, strict=True)]

    def values(self, number: int, gaps: Sequence[Span]) -> list[str]:
        """What a line has in each column."""
        line = self.line(number)
        return [line[start:end].strip() for start, end in self.cells(number, gaps)]

    def _is_other(self, line: str) -> bool:
        return self._by_width and not line.isascii()


@lru_cache(512)
def _columns(line: str) -> tuple[str, list[int]]:
    """A line with a character for each column, and which character of the line each of these is of."""
    shown: list[str] = []
    places: list[int] = []
    for at, character in enumerate(line):
        columns = display_width.columns_of(character)
        shown += [character, _FILLER][:columns]
        places += [at, at + 1][:columns]
    return "".join(shown), places
