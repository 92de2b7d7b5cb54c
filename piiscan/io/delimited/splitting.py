"""Lines of delimited text as records."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import compress, count, repeat

Row = list[str]
Located = tuple[Row, int, int]
"""The fields of a record, the line it starts at, and how many lines it takes."""

RECORD_CHARS = 1 << 22
"""A record of several lines that is longer than this is no record: its quote was a plain character."""
FIELD_CHARS = (1 << 31) - 1
_SINGLE = "\x1f"
"""Stands for a delimiter of several characters, of which the parser knows none."""


def located(
    lines: Sequence[str],
    delimiter: str,
    quote: str | None,
    escape: bool,
    skip_space: bool,
    complete: bool,
    text: str | None = None,
    start: int = 0,
) -> Iterator[Located]:
    """The records of delimited lines (without line ends) that aren't blank.

    `text`: all of them, and maybe others, where known. `start`: the number of the first.
    """
    if text is None:
        text = "\n".join(lines)
    plain = not escape and not skip_space and (quote is None or quote not in text)
    if plain and "\r" not in text and (len(delimiter) == 1 or _SINGLE not in text):
        # Nothing in them but fields and marks.
        return compress(zip(map(str.split, lines, repeat(delimiter)), count(start), repeat(1)), lines)
    return _by_parser(lines, delimiter, quote, escape, skip_space, complete, start)


def _by_parser(
    lines: Sequence[str], delimiter: str, quote: str | None, escape: bool, skip_space: bool, complete: bool, at: int
) -> Iterator[Located]:
    for row, taken in records(iter(line + "\n" for line in lines), delimiter, quote, escape, skip_space, complete):
        if row:
            yield row, at, taken
        at += taken


def records(
    lines: Iterator[str], delimiter: str, quote: str | None, escape: bool, skip_space: bool, complete: bool = True
) -> Iterator[tuple[Row, int]]:
    """The records of delimited lines (each with its line end) and how many lines each takes.

    Blank lines are empty rows.

    A quote that isn't closed within `RECORD_CHARS`, or before the end, is taken for a plain character; unless the lines
    aren't `complete`: then what follows it is left out.
    """
    single = _SINGLE if len(delimiter) > 1 else delimiter
    taken: list[str] = []
    pending: deque[str] = deque()
    size, is_open = 0, False

    def feed() -> Iterator[str]:
        nonlocal size, is_open
        while True:
            line = pending.popleft() if pending else next(lines, None)
            if line is None or (taken and size + len(line) > RECORD_CHARS):
                if line is not None:
                    pending.appendleft(line)
                is_open = bool(taken)
                return
            taken.append(line)
            size += len(line)
            yield line if single is delimiter else line.replace(delimiter, single)

    def reader(source: Iterator[str], quoted: bool) -> Iterator[Row]:
        return csv.reader(
            source,
            delimiter=single,
            quotechar=quote if quoted else None,
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
            escapechar="\\" if escape and quoted else None,
            skipinitialspace=skip_space,
        )

    csv.field_size_limit(FIELD_CHARS)
    parser = reader(feed(), quote is not None)
    while True:
        row = next(parser, None)
        if is_open and not complete:
            return
        if is_open:
            # The quote never closes: its line stands alone, and what it swallowed is read again.
            pending.extendleft(reversed(taken[1:]))
            line = taken[0] if single is delimiter else taken[0].replace(delimiter, single)
            yield next(reader(iter((line,)), False), []), 1
            parser, is_open = reader(feed(), quote is not None), False
        elif row is None:
            return
        else:
            yield row, len(taken)
        taken.clear()
        size = 0
