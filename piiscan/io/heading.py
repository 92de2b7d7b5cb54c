"""Where a table starts among its rows, and what its columns are called: by one line or two, and by cells that span several columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from piiscan.headers import tokens
from piiscan.io.header import WORDS, common_kind, infer_header, kind

Row = Sequence[str]


class Heading(NamedTuple):
    """The rows of `first` lines come before the table, the next `rows` (0, 1 or 2) name its columns: `names`, None where a column has none.
    `inherited`: the columns whose header is empty and that take their left neighbour's name."""

    first: int
    rows: int
    names: tuple[str | None, ...]
    inherited: tuple[int, ...] = ()


def find_heading(rows: Sequence[Row], usual: int, complete: bool, told: bool | None, merged: bool = False) -> Heading:
    """The heading of a table. Rows are title lines only where a header follows them.

    `usual` is the width of the table; `complete` says that `rows` are all of it; `told` whether it has a header, as the user says, None
    to infer. `merged`: the format has cells that span columns, so an empty header belongs to its left neighbour.
    """
    width = max(map(len, rows), default=1)
    first, has_header = find_header(rows, usual, complete, told)
    width = max(map(len, rows[first:]), default=1)
    if not has_header:
        return Heading(first, 0, (None,) * width)
    top, body = rows[first], rows[first + 1 :]
    if told is not False and _is_second_line(top, body, complete):
        return Heading(first, 2, _padded(_joined(top, body[0]), width))
    names, inherited = _inherited(top, body, merged)
    return Heading(first, 1, _padded(names, width), inherited)


def heading_notes(found: Heading) -> tuple[str, ...]:
    """What a report should say of a heading: what was made of empty headers."""
    if not found.inherited:
        return ()
    places = ", ".join(str(i + 1) for i in found.inherited[:10]) + (", …" if len(found.inherited) > 10 else "")
    which = (
        f"Column {places} has no header and takes its" if len(found.inherited) == 1 else f"Columns {places} have no header and take their"
    )
    return (f"{which} left neighbour's, as merged cells do",)


def find_header(rows: Sequence[Row], usual: int, complete: bool, told: bool | None) -> tuple[int, bool]:
    """The row that a table starts with, and whether it is a header; arguments as in `find_heading`."""
    if told is False:
        return 0, False
    first = _table_start(rows, usual)
    if told or infer_header(rows[first:], complete):
        return first, bool(rows)
    if len(rows) > first + 2 and _is_second_line(rows[first], rows[first + 1 :], complete):
        return first, True
    return 0, False


def _table_start(rows: Sequence[Row], usual: int) -> int:
    """Where the table starts among the rows: title lines, with few cells filled, come before it. `usual` is their width."""
    if usual > 1:
        for i, row in enumerate(rows[:50]):
            filled = _filled(row)
            if len(row) * 2 > usual and (filled > 1 or usual == 2 or all(_filled(r) <= 1 for r in rows[i : i + 5])):
                return i
    return 0


def _filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _padded(names: Sequence[str | None], width: int) -> tuple[str | None, ...]:
    return (*names, *[None] * (width - len(names)))


def _is_second_line(top: Row, body: Sequence[Row], complete: bool) -> bool:
    """Whether the first row names groups of columns, and the one below it the columns: the upper line has gaps or repeats itself, the lower
    one reads as a header over the rows that follow, and each column has a name in one of them."""
    if len(body) < 2 or len(top) < 3 or len(body[0]) != len(top):
        return False
    upper, lower = [cell.strip() for cell in top], [cell.strip() for cell in body[0]]
    groups = [cell for cell in upper if cell]
    has_gaps, repeats = len(groups) < len(upper), any(a == b for a, b in pairwise(upper) if a)
    if not len(groups) >= 2 or not (has_gaps or repeats) or len(set(groups)) < 2:
        return False
    if not all(a or b for a, b in zip(upper, lower, strict=True)) or len([cell for cell in lower if cell]) < 2:
        return False
    if not all(kind(cell) in ("", "text") or (cell.isdigit() and len(cell) == 4) for cell in (*upper, *lower)):
        return False
    if not any(b for a, b, before in zip(upper[1:], lower[1:], upper[:-1], strict=True) if not a or a == before):
        return False  # nothing stands below a gap
    values = [[row[i].strip() for row in body[1:] if i < len(row) and row[i].strip()] for i in range(len(lower))]
    if any(cell and cell in column for cell, column in zip(lower, values, strict=True)):
        return False
    telling = sum(bool(set(tokens(cell)) & WORDS) for cell in lower if cell)
    typed = any(
        cell and common_kind(column) in ("number", "date", "email", "url", "code") for cell, column in zip(lower, values, strict=True)
    )
    return (typed or 2 * telling > sum(map(bool, lower))) and infer_header(body, complete)


def _joined(top: Row, lower: Row) -> list[str | None]:
    """The names of columns under two lines: the group's, which holds to its right until the next, and the column's own."""
    names: list[str | None] = []
    group = ""
    for above, below in zip((cell.strip() for cell in top), (cell.strip() for cell in lower), strict=True):
        group = above or group
        own = below if below != group else ""
        names.append(" ".join(filter(None, (group, own))) or None)
    return names


def _inherited(header: Row, body: Sequence[Row], merged: bool) -> tuple[list[str | None], tuple[int, ...]]:
    """The names of columns under one line. An empty header to the right of a named one takes its name, where the column holds something:
    of any kind if cells can be `merged`, else of the same kind as its neighbour's (a first and a last name under "name")."""
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
