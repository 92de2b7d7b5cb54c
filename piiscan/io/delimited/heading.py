"""Finds where a table starts among its rows, and the names of its columns.

Names come from one line or two, and cells may span several columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from piiscan.core.header_words import tokens
from piiscan.io.cells.cell_kinds import kind
from piiscan.io.delimited.header_row import WORDS, common_kind, header_votes, is_headless

Row = Sequence[str]
_MOST_TITLES = 50
"""Lines above a table that are looked at."""
_IMPORTED = re.compile(r'\{"ImportId":"')
_CLOSE = 0.5
"""With fewer votes either way a header is a guess."""


class Heading(NamedTuple):
    """The heading of a table: `first` lines come before it, the next `rows` (0 to 3) name its columns.

    `names`: None where a column has none. `inherited`: the columns whose header is empty and that take their left
    neighbour's name. `unsure`: the evidence for a header and against it is about equal.
    """

    first: int
    rows: int
    names: tuple[str | None, ...]
    inherited: tuple[int, ...] = ()
    unsure: bool = False


def find_heading(rows: Sequence[Row], usual: int, declared: bool | None, merged: bool = False) -> Heading:
    """The heading of a table. Rows are title lines only where a header follows them.

    `usual` is the width of the table; `declared` says whether it has a header, as the user says, None to infer.
    `merged`: the format has cells that span columns, so an empty header belongs to its left neighbour.
    """
    first, has_header, votes = find_header(rows, usual, declared)
    width = max(map(len, rows[first:]), default=1)
    unsure = declared is None and len(rows) > first + 1 and 0 < abs(votes) <= _CLOSE
    if not has_header:
        return Heading(first, 0, (None,) * width, unsure=unsure)
    top, body = rows[first], rows[first + 1 :]
    if len(body) > 1 and len(body[0]) == len(top) and _is_imported(body[1]):
        return Heading(first, 3, _padded(_with_questions(top, body[0]), width))
    if _is_second_line(top, body):
        return Heading(first, 2, _padded(_joined(top, body[0]), width))
    names, inherited = _inherited(top, body, merged)
    return Heading(first, 1, _padded(names, width), inherited, unsure)


def heading_notes(found: Heading) -> tuple[str, ...]:
    """Notes for the report on a heading: whether it could be data, and what was made of empty headers."""
    notes = []
    if found.unsure:
        taken = (
            "as the header; --no-header reads it as data" if found.rows else "as data; --header reads it as the header"
        )
        notes.append(f"Read the first row {taken}")
    if found.inherited:
        places = ", ".join(str(i + 1) for i in found.inherited[:10]) + (", …" if len(found.inherited) > 10 else "")
        some = len(found.inherited) > 1
        which = (
            f"Columns {places} have no header and take their"
            if some
            else f"Column {places} has no header and takes its"
        )
        notes.append(f"{which} left neighbour's, as merged cells do")
    return tuple(notes)


class HeaderRow(NamedTuple):
    """The row that a table starts with, whether it is a header, and how much speaks for that (see `header_votes`)."""

    first: int
    is_header: bool
    votes: float


def find_header(rows: Sequence[Row], usual: int, declared: bool | None) -> HeaderRow:
    """The first row of a table; arguments as in `find_heading`."""
    if declared is False:
        return HeaderRow(0, False, 0.0)
    if declared is None and is_headless(rows):
        return HeaderRow(0, False, -inf)
    first = _table_start(rows, usual)
    votes = header_votes(rows[first:])
    if declared is None and (titles := _titles(rows[first:], votes)):
        first += titles
        votes = header_votes(rows[first:])
    if declared or votes > 0:
        return HeaderRow(first, bool(rows), votes)
    if len(rows) > first + 2 and _is_second_line(rows[first], rows[first + 1 :]):
        return HeaderRow(first, True, votes)
    return HeaderRow(0, False, votes)


def _table_start(rows: Sequence[Row], usual: int) -> int:
    """Where the table starts among the rows: title lines, with few cells filled, come before it.

    `usual` is their width.
    """
    if usual > 1:
        for i, row in enumerate(rows[:50]):
            filled = _filled(row)
            if len(row) * 2 > usual and (filled > 1 or usual == 2 or all(_filled(r) <= 1 for r in rows[i : i + 5])):
                return i
    return 0


def _titles(rows: Sequence[Row], votes: float) -> int:
    """How many first rows, most of whose cells are empty, are lines above a header that fills the next row.

    Titles of a report, and what it is about: "Account holder", "Period".
    """
    if len(rows) < 3 or len(rows[0]) < 3:
        return 0
    width = len(rows[0])
    first = next((i for i, row in enumerate(rows[:_MOST_TITLES]) if 2 * _filled(row) > width), 0)
    if not first or _filled(rows[first]) < 0.8 * width:
        return 0
    if _is_second_line(rows[first - 1], rows[first:]):
        first -= 1
        return first if first and header_votes(rows[first + 1 :]) > max(votes, 1.0) else 0
    return first if header_votes(rows[first:]) > max(votes, 1.0) else 0


def _filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _padded(names: Sequence[str | None], width: int) -> tuple[str | None, ...]:
    return (*names, *[None] * (width - len(names)))


def _is_second_line(top: Row, body: Sequence[Row]) -> bool:
    """Whether the first row names groups of columns, and the one below it the columns.

    The upper line has gaps or repeats itself, the lower one reads as a header over the rows that follow, and each
    column has a name in one of them.
    """
    if len(body) < 2 or len(top) < 3 or len(body[0]) != len(top):
        return False
    upper, lower = [cell.strip() for cell in top], [cell.strip() for cell in body[0]]
    if not _names_groups(upper) or not _names_members(upper, lower):
        return False
    values = [[row[i].strip() for row in body[1:] if i < len(row) and row[i].strip()] for i in range(len(lower))]
    return _fits_above(upper, lower, values) and header_votes(body, distinct=False) > 0


def _names_groups(upper: Sequence[str]) -> bool:
    """Whether a line has several names, each of which may hold for several columns."""
    groups = [cell for cell in upper if cell]
    has_gaps, repeats = len(groups) < len(upper), any(a == b for a, b in pairwise(upper) if a)
    return (has_gaps or repeats) and len(set(groups)) > 1


def _names_members(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether both lines hold words and years only, and the lower one names columns of the groups above."""
    if sum(map(bool, lower)) < 2:
        return False
    if not all(kind(cell) in ("", "text") or (cell.isdigit() and len(cell) == 4) for cell in (*upper, *lower)):
        return False
    grouped = (
        below for above, below, left in zip(upper[1:], lower[1:], upper[:-1], strict=True) if above in ("", left)
    )
    return any(grouped)  # else nothing stands below a gap


def _fits_above(upper: Sequence[str], lower: Sequence[str], values: Sequence[Sequence[str]]) -> bool:
    """Whether two lines leave no column of values without a name, and the lower one is unlike the values."""
    if any(held and not (above or below) for above, below, held in zip(upper, lower, values, strict=True)):
        return False
    named = [(cell, column) for cell, column in zip(lower, values, strict=True) if cell]
    if any(cell in column for cell, column in named):
        return False
    telling = sum(not WORDS.isdisjoint(tokens(cell)) for cell, _ in named)
    typed = any(common_kind(column) in ("number", "date", "email", "url", "code") for _, column in named)
    return typed or 2 * telling > len(named)


def _is_imported(row: Row) -> bool:
    """Whether a row is the third line of a Qualtrics export, which says for each column what it is imported as."""
    return all(_IMPORTED.match(cell) for cell in row) and bool(row)


def _with_questions(top: Row, lower: Row) -> list[str | None]:
    """The names of columns of a Qualtrics export: each with the question below it, but for what only repeats it."""
    return [
        f"{name} {text}".strip() if tokens(name) != tokens(text) else name
        for name, text in ((a.strip(), b.strip()) for a, b in zip(top, lower, strict=True))
    ]


def _joined(top: Row, lower: Row) -> list[str | None]:
    """The names of columns under two lines: the group's name and the column's own.

    A group's name applies to its right until the next one.
    """
    names: list[str | None] = []
    group = ""
    for above, below in zip((cell.strip() for cell in top), (cell.strip() for cell in lower), strict=True):
        group = above or group
        own = below if below != group else ""
        names.append(" ".join(filter(None, (group, own))) or None)
    return names


def _inherited(header: Row, body: Sequence[Row], merged: bool) -> tuple[list[str | None], tuple[int, ...]]:
    """The names of columns under one line.

    An empty header to the right of a named one takes its name, where the column holds something: of any kind if cells
    can be `merged`, else of the same kind as its neighbour's (a first and a last name under "name").
    """
    names: list[str | None] = list(header)
    inherited = []
    for i in range(1, len(header)):
        if header[i].strip() or not (names[i - 1] or "").strip():
            continue
        left, own = ([row[j].strip() for row in body if j < len(row) and row[j].strip()] for j in (i - 1, i))
        if own and (merged or (common_kind(own) == common_kind(left) and Counter(own) != Counter(left))):
            names[i] = names[i - 1]
            inherited.append(i)
    return names, tuple(inherited)
