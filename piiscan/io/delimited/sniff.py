"""The dialect of a delimited text: what its first lines say about delimiter, quotes, preamble, width and header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from piiscan.io.delimited import account_files
from piiscan.io.delimited.delimiters import NONE, choose
from piiscan.io.delimited.header_row import header_votes
from piiscan.io.delimited.heading import find_heading, heading_notes
from piiscan.io.delimited.readings import Candidate
from piiscan.io.delimited.splitting import records
from piiscan.io.delimited.whole_values import is_whole

_COMMENT = re.compile(r"\s*(#|//|%|--\s|;;|\"#)")
_SEP_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_PREAMBLE_LINES = 2000
_OF_ACCOUNTS = ":"
ONE_COLUMN = "none"
"""What a user says for a text without a delimiter."""


class Dialect(NamedTuple):
    r"""How a delimited text is laid out.

    `newline` is "\n" (which stands for "\r\n" too), "\r" or "" for a mixture. `preamble` lines come before the
    table, the header (`header_lines` of them, 0 for none) next. `width` is the number of columns, `header` their names;
    an unnamed column (rows that run over the header's end) is None. `delimiter` is `NONE` where there is one column
    only. `comments`: what the columns are, in words, where the format says so and no header.
    `notes`: what is uncertain, and how to choose.
    """

    delimiter: str
    quote: str | None
    newline: str
    preamble: int
    header_lines: int
    header: tuple[str | None, ...]
    width: int
    escape: bool = False
    skip_space: bool = False
    notes: tuple[str, ...] = ()
    comments: tuple[str | None, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether the fast reader knows it."""
        return len(self.delimiter.encode()) == 1 and bool(self.newline) and not self.escape and not self.skip_space


class NoTable(NamedTuple):
    """A text without columns, with notes on what is uncertain of that."""

    notes: tuple[str, ...] = ()


def newline_of(text: str) -> str:
    r"""The line end of a text: "\n", "\r", or "" where both are in use on their own."""
    if "\r" not in text or not re.search(r"\r(?!\n)(?!\Z)", text):
        return "\n"
    return "" if "\n" in text else "\r"


def sniff(
    text: str, complete: bool, delimiter: str | None, header: bool | None, strict: bool, ending: str = ""
) -> Dialect | NoTable:
    """Infer the dialect of a text that begins with `text` (all of it if `complete`); `NoTable` if it isn't a table.

    `delimiter` and `header` are what the user says (`ONE_COLUMN` for no delimiter), None to infer. `strict` asks for
    evidence of a
    table with several columns or of a list of short values: for text that nothing but its content says anything about.
    Otherwise a single column is a table too. `ending`: that of the file's name.
    """
    newline = newline_of(text)
    lines = _whole_lines(text, complete)
    if not any(line.strip() for line in lines):
        return NoTable()
    start = 0
    declared = _SEP_LINE.fullmatch(lines[0].strip())
    if declared and len(lines) > 1:
        delimiter, start = delimiter or declared[1], 1
    start = _behind_comments(lines, start)
    if delimiter in (None, _OF_ACCOUNTS) and not header and (accounts := account_files.columns(lines[start:])):
        width = len(accounts)
        return Dialect(_OF_ACCOUNTS, None, newline, start, 0, (None,) * width, width, "\\" in text, comments=accounts)
    candidate, rows, notes = choose(
        lines[start:], complete, NONE if delimiter == ONE_COLUMN else delimiter, strict, ending
    )
    if candidate is None:
        return NoTable(notes)
    cells = [row for row, _, _ in rows]
    found = find_heading(cells, candidate.width, header)
    preamble = start + rows[found.first][1] if rows else start
    names, header_lines = found.names, sum(taken for _, _, taken in rows[found.first : found.first + found.rows])
    if header is not False and preamble:
        named = _commented_header(lines[preamble - 1], cells[found.first :], candidate, len(names), complete)
        if named is not None:
            preamble, names, header_lines = preamble - 1, named, 1
    if strict and len(names) < 2 and candidate.delimiter != NONE:
        return NoTable()
    return Dialect(
        candidate.delimiter,
        candidate.quote,
        newline,
        preamble,
        header_lines,
        names,
        len(names),
        candidate.escape,
        candidate.skip_space,
        (*notes, *heading_notes(found)),
    )


def _whole_lines(text: str, complete: bool) -> list[str]:
    """The lines of a text, but for a last one that goes on behind it, or that is empty."""
    if "\r" in text:  # one character is found many times as fast as two
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if (not complete and len(lines) > 1) or not lines[-1]:
        lines.pop()
    return lines


def _behind_comments(lines: Sequence[str], start: int) -> int:
    """The first line from `start` on that is neither blank nor a comment; `start` where all are comments."""
    at = start
    while at < min(len(lines), _PREAMBLE_LINES) and (_is_comment(lines[at]) or not lines[at].strip()):
        at += 1
    return at if at < len(lines) else start


def _is_comment(line: str) -> bool:
    """Whether a line begins as comments do and is no value that does, such as the magnetic stripe of a card."""
    return bool(_COMMENT.match(line)) and not is_whole(line.strip())


def _commented_header(
    line: str, cells: Sequence[Sequence[str]], c: Candidate, width: int, complete: bool
) -> tuple[str, ...] | None:
    """The names of the columns in a comment above the rows ("#id,name").

    None where there are none, or where the rows have a header of their own.
    """
    if width < 2 or not _COMMENT.match(line) or header_votes(cells) > 0:
        return None
    named = next(records(iter((line.strip().lstrip("#%/;- "),)), c.delimiter, c.quote, c.escape, c.skip_space), None)
    return tuple(named[0]) if named and len(named[0]) == width and header_votes([named[0], *cells]) > 0 else None
