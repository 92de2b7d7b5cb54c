"""Values whose keys stand apart from them: tables with a header in a text, and lists of columns beside values in SQL.

`| First name | Last name |` above `| Ann | Berg |`, as psql, MySQL, pandas, Markdown, LaTeX and CSV print rows, and
tables of HTML; `INSERT INTO people (first_name, last_name) VALUES ('Ann', 'Berg')`, `Key (last_name)=(Berg)`. The key
is the one at the same place of its row. Lines of other lengths end a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from piiscan.core.lazy_pattern import lazy_pattern

IN_LINE: Final = r"\) ?(?:VALUE|value)|\)=\(|</[tT][hHdD]>"
"""What a text of one line has that may hold some; one of several lines may in any case."""

T = TypeVar("T")
Cell = tuple[str, int, int]
"""What it says, without blanks and quotation marks, and where that begins and ends."""
_MOST_LINES: Final = 400
_MOST_CELLS: Final = 60
_LONGEST_KEY: Final = 40
_DIVISORS: Final = ("|", "\t", ";", "&", ",")
_LINE: Final = re.compile(r"[^\r\n]+")
_NO_HEADER: Final = re.compile(r"[\d(){}<>=@$]")
_RULED: Final = re.compile(r"[\s|+=:_─│┼-]++(?:\\hline)?\s*+")
_END_OF_LATEX: Final = re.compile(r"\\\\(?:\s*\\hline)?\s*$")
_APART: Final = re.compile(r"\S+(?: \S+)*")
"""A cell of a table whose columns two blanks divide."""
_WIDE: Final = re.compile(r"\S {2,}\S")
_BARE: Final = re.compile(r"[^\s\"'`\[].*[^\s\"'`\]]|[^\s\"'`\[\]]", re.DOTALL)
_INSERT: Final = lazy_pattern(
    r"\b(?:into|replace)\s+[\w.\"`\[\]]{1,120}\s*\((?P<keys>[^()]{1,2000})\)[^()';]{0,80}?\bvalues?\s*(?=\()",
    re.IGNORECASE,
)
_ROW: Final = lazy_pattern(
    r"\s*+,?\s*+\((?P<row>(?:[^()'\"]|'(?:[^'\\]|''|\\.)*+'|\"[^\"]*+\"|\([^()]{0,80}\)){1,4000}+)\)"
)
_LITERALS: Final = lazy_pattern(r"(?:[^,'\"()]|'(?:[^'\\]|''|\\.)*+'|\"[^\"]*+\"|\([^()]*+\))++|(?<=,)(?=,)")
_IN_KEYS: Final = lazy_pattern(r"(?<=\()(?P<keys>[\w\", ]{2,400})\)=\((?P<row>[^()\r\n]{1,2000})\)")
"""What PostgreSQL says of a row that breaks a constraint."""
_HTML_ROW: Final = lazy_pattern(r"<tr[\s>].*?(?=</tr>|<tr[\s>]|\Z)", re.IGNORECASE | re.DOTALL)
_HTML_CELL: Final = lazy_pattern(r"<t[hd](?:\s[^<>]*)?>\s*(?P<cell>[^<>]*?)\s*</t[hd]>", re.IGNORECASE)


def cells_by_keys(text: str, names: Callable[[str], T | None]) -> Iterator[tuple[T, int, int]]:
    """What keys name, and where each value of theirs begins and ends; not of keys that name nothing."""
    if ")" in text:
        for keys, values in _of_sql(text):
            yield from _paired([names(key) for key in keys], values)
    if "</t" in text or "</T" in text:
        yield from _below_headers(_html_rows(text), names)
    if "\n" in text:
        lines = [line for _, line in zip(range(_MOST_LINES), _LINE.finditer(text), strict=False)]
        for divisor in (*(mark for mark in _DIVISORS if mark in text), ""):
            if divisor or _WIDE.search(text) is not None:
                yield from _below_headers(_divided(lines, divisor), names)


def _below_headers(rows: Iterable[Sequence[Cell]], names: Callable[[str], T | None]) -> Iterator[tuple[T, int, int]]:
    """The cells below each row whose cells name something.

    Rows that pandas prints have one cell more, their number. Of a table of one column nothing says where it ends.
    """
    keys: list[T | None] = []
    for cells in rows:
        more = len(cells) - len(keys)
        if keys and (more == 0 or (more == 1 and cells[0][0].isdecimal())):
            yield from _paired(keys, cells[more:])
        else:
            keys = [names(cell) for cell, _, _ in cells] if _may_be_header(cells) else []
            if not any(keys):
                keys = []


def _of_sql(text: str) -> Iterator[tuple[list[str], list[Cell]]]:
    """The columns that statements and messages list, with each row of values."""
    for found in _INSERT.finditer(text):
        keys = [_bare(key, 0)[0] for key in found["keys"].split(",")]
        at = found.end()
        while (row := _ROW.match(text, at)) is not None:
            yield keys, [_bare(v[0], v.start()) for v in _LITERALS.finditer(text, *row.span("row"))]
            at = row.end()
    for found in _IN_KEYS.finditer(text) if ")=(" in text else ():
        start, values = found.start("row"), []
        for value in found["row"].split(", "):
            values.append(_bare(value, start))
            start += len(value) + 2
        yield [_bare(key, 0)[0] for key in found["keys"].split(",")], values


def _paired(named: Sequence[T | None], values: Sequence[Cell]) -> Iterator[tuple[T, int, int]]:
    if len(named) == len(values):
        for one, (value, start, end) in zip(named, values, strict=True):
            if one and value:
                yield one, start, end


def _bare(text: str, start: int) -> Cell:
    """A cell without what is around it."""
    found = _BARE.search(text)
    return ("", start, start) if found is None else (found[0], start + found.start(), start + found.end())


def _html_rows(text: str) -> Iterator[Sequence[Cell]]:
    for n, row in enumerate(_HTML_ROW.finditer(text)):
        if n < _MOST_LINES:
            yield [(c["cell"], *c.span("cell")) for c in _HTML_CELL.finditer(text, *row.span())]


def _divided(lines: Sequence[re.Match[str]], divisor: str) -> Iterator[Sequence[Cell]]:
    """The cells of each line; none of one that can't be a header while no line before it has as many."""
    width = 0
    for line in lines:
        if _RULED.fullmatch(line[0]):
            continue
        if (divisor and divisor not in line[0]) or (not width and _NO_HEADER.search(line[0])):
            width = 0
            yield []
            continue
        cells = _cells(line[0], line.start(), divisor)
        width = len(cells) if len(cells) > 1 else 0
        yield cells


def _cells(text: str, start: int, divisor: str) -> Sequence[Cell]:
    if not divisor:
        return [_bare(cell[0], start + cell.start()) for cell in _APART.finditer(text)]
    if divisor == "&":
        text = _END_OF_LATEX.sub("", text)
    cells = []
    for part in text.split(divisor):
        cells.append(_bare(part, start))
        start += len(part) + 1
    if divisor == "|" and text.lstrip().startswith("|"):
        cells = cells[1 : -1 if text.rstrip().endswith("|") else None]
    return cells


def _may_be_header(cells: Sequence[Cell]) -> bool:
    return (
        len(cells) <= _MOST_CELLS
        and sum(bool(cell) for cell, _, _ in cells) > 1
        and all(len(cell) <= _LONGEST_KEY and not any(map(str.isdigit, cell)) for cell, _, _ in cells)
    )
