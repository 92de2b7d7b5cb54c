"""Records that stand amid the lines of a text: of which lines something is left to be read as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from piiscan.io.messages.records import LINE, TEXT, Place, Record, Span


class Part(NamedTuple):
    """A part of a text, its records, and how much of it they and what marks them up take: the rest is text."""

    start: int
    end: int
    records: Sequence[Record]


def lines_of(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int]]:
    """Where each line of a part of a text begins and ends, and where the next one begins."""
    end = len(text) if end is None else end
    while start < end:
        found = LINE.match(text, start, end)
        if found is None:
            return
        yield (*found.span(1), found.end())
        start = found.end()


def records_and_lines(text: str, parts: Sequence[Part]) -> Iterator[Record]:
    """The records of some parts, which come in the order of their places, and a record of TEXT for each line.

    A line is empty there but for what no part takes of it, at its end or else at its begin.
    """
    at = 0
    for start, end, stop in lines_of(text):
        left = [start, end]
        while at < len(parts) and parts[at].end <= start:
            at += 1
        here = at
        while here < len(parts) and parts[here].start < end:
            part = parts[here]
            here += 1
            if part.start <= left[0]:
                left[0] = min(end, max(left[0], part.end))
            else:
                left[1] = part.start
            if part.start >= start:
                yield from part.records
        if left[0] > start:
            left[0] = min(end, left[0] + len(text[left[0] : end]) - len(text[left[0] : end].lstrip()))
        yield Record(TEXT, start, stop, {("", "", 0): (left[0], max(left))})


def row(table: str, start: int, end: int, header: Sequence[str], cells: Sequence[Span]) -> Record:
    """A row of a table with a header, which may have fewer or more cells than that."""
    places: dict[Place, Span] = {(i, header[i] if i < len(header) else "", 0): span for i, span in enumerate(cells)}
    return Record(table, start, end, places)


def trimmed(text: str, start: int, end: int) -> Span:
    """A part of a text without white space around it."""
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    return first, max(first, start + len(piece.rstrip()))


def header_of(table: str, place: Place) -> str | None:
    """What the column of a place is called: what is said there of it."""
    return TEXT if table == TEXT else str(place[1]) or None
