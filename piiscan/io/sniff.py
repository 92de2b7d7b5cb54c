"""The dialect of a delimited text: what its first lines say about delimiter, quotes, preamble, width and header."""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from piiscan.io.header import infer_header

Row = list[str]

_DELIMITERS = (",", "\t", ";", "|", ":", "^", "~", "@", "\x01", "\x1f", "\x1e", "¦", "§", "||", "|~|", "::", " ")
# A delimiter that punctuation, times and addresses are full of must divide nearly every line to be believed.
_SHY = {":", "@", "~", "^", " ", "::"}
_COMMENT = re.compile(r"\s*(#|//|%|--\s|;;|\"#)")
_SEP_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_PREAMBLE_LINES = 2000
_ROWS = 1000
_SCORED_ROWS = 300


class Dialect(NamedTuple):
    """How a delimited text is laid out.

    `newline` is "\\n" (which stands for "\\r\\n" too), "\\r" or "" for a mixture. `preamble` lines come before the table,
    the header (`header_lines` of them, 0 for none) next. `width` is the number of columns, `header` their names; an
    unnamed column (rows that run over the header's end) is None.
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

    @property
    def is_plain(self) -> bool:
        """Whether the fast reader knows it."""
        return len(self.delimiter.encode()) == 1 and bool(self.newline) and not self.escape and not self.skip_space


def newline_of(text: str) -> str:
    """The line end of a text: "\\n", "\\r", or "" where both are in use on their own."""
    lone_cr = len(re.findall(r"\r(?!\n)(?!\Z)", text))
    if not lone_cr:
        return "\n"
    return "" if "\n" in text else "\r"


def sniff(text: str, complete: bool, delimiter: str | None, header: bool | None, strict: bool) -> Dialect | None:
    """The dialect of a text that begins with `text` (all of it if `complete`), None where it doesn't look like a table.

    `delimiter` and `header` are what the user says, None to infer. `strict` asks for evidence of a table with several
    columns: for text that nothing but its content says anything about. Otherwise a single column is a table too.
    """
    newline = newline_of(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if (not complete and len(lines) > 1) or (lines and not lines[-1]):
        lines.pop()
    if not any(line.strip() for line in lines):
        return None
    start = 0
    told = _SEP_LINE.fullmatch(lines[0].strip())
    if told and len(lines) > 1:
        delimiter, start = delimiter or told[1], 1
    while start < min(len(lines) - 1, _PREAMBLE_LINES) and (_COMMENT.match(lines[start]) or not lines[start].strip()):
        start += 1
    best = _best(lines, complete, start, delimiter, strict)
    if best is None:
        return None
    candidate, rows = best
    cells = [row for row, _, _ in rows]
    first, has_header = find_header(cells, candidate.width, complete, header)
    width = max(map(len, cells[first:]), default=1)
    preamble = start + rows[first][1] if rows else start
    rows = rows[first:]
    if header is not False and preamble and _COMMENT.match(lines[preamble - 1]) and not infer_header(cells[first:], complete):
        preamble, rows, has_header = _commented_header(lines, preamble, rows, candidate, width, has_header)
    if strict and width < 2:
        return None
    cells = [row for row, _, _ in rows]
    names: tuple[str | None, ...] = ()
    if has_header and cells:
        names = tuple(cells[0])
        width = max(width, len(names))
    names += (None,) * (width - len(names))
    header_lines = rows[0][2] if has_header and rows else 0
    return Dialect(
        candidate.delimiter, candidate.quote, newline, preamble, header_lines, names, width, candidate.escape, candidate.skip_space
    )


class _Candidate(NamedTuple):
    delimiter: str
    quote: str | None
    escape: bool = False
    skip_space: bool = False
    width: int = 1
    score: float = 0.0


Located = tuple[Row, int, int]  # fields, line it starts at (after the preamble), lines it takes


def _best(lines: Sequence[str], complete: bool, start: int, delimiter: str | None, strict: bool) -> tuple[_Candidate, list[Located]] | None:
    body = lines[start : start + 2 * _ROWS]
    complete = complete and len(body) == len(lines) - start
    text = "\n".join(body)
    found: list[_Candidate] = []
    for mark in (delimiter,) if delimiter else (d for d in _DELIMITERS if d in text and not _is_half(d, text)):
        for quote, escape in _quotes(text, mark):
            space = mark == " " and "  " in text
            rows = list(islice(_rows(body, mark, quote, escape, space, complete), _SCORED_ROWS))
            # Looked for in the fields, not in the text: in a quoted one, `, "` is nothing special (JSON is full of it).
            if quote and any(field[:1] == " " and field.lstrip(" ")[:1] == quote for row, _, _ in rows for field in row):
                space = True
                rows = list(islice(_rows(body, mark, quote, escape, space, complete), _SCORED_ROWS))
            width, score = _score(rows, mark, strict)
            found.append(_Candidate(mark, quote, escape, space, width, score))
    best = max(found, key=lambda candidate: candidate.score, default=None)
    if best is not None and (delimiter or (best.width > 1 and best.score > 0.3)):
        return best, list(islice(_rows(body, best.delimiter, best.quote, best.escape, best.skip_space, complete), _ROWS))
    if strict:
        return None
    quote = '"' if '"' in text else None
    rows = list(islice(_rows(body, ",", quote, False, False, complete), _ROWS))
    return _Candidate(",", '"', width=1 if not rows else Counter(len(row) for row, _, _ in rows).most_common(1)[0][0]), rows


def _is_half(mark: str, text: str) -> bool:
    """Whether a mark stands in pairs only, which are the delimiter."""
    return mark * 2 in _DELIMITERS and text.count(mark) == 2 * text.count(mark * 2)


def _quotes(text: str, mark: str) -> Iterator[tuple[str | None, bool]]:
    """The quotes that a text may use, and whether with backslash escapes, likely ones first."""
    edge = re.escape(mark)
    if '"' in text:
        yield '"', False
    lines = text.count("\n") + 1
    single = len(re.findall(rf"(?:^|{edge})\s?'[^'\n]*'\s?(?=$|{edge})", text, re.MULTILINE)) if "'" in text else 0
    if 2 * single >= lines:
        yield "'", False
    if '\\"' in text:
        yield '"', True
    yield ('"', False) if '"' not in text else (None, False)
    if 0 < 2 * single < lines:  # a few values in apostrophes are values, unless the rows agree better if they are quotes
        yield "'", False


def _rows(lines: Sequence[str], delimiter: str, quote: str | None, escape: bool, skip_space: bool, complete: bool) -> Iterator[Located]:
    reader = records(iter(line + "\n" for line in lines), delimiter, quote, escape, skip_space, complete)
    at = 0
    for row, taken in reader:
        if row:
            yield row, at, taken
        at += taken


def records(
    lines: Iterator[str], delimiter: str, quote: str | None, escape: bool, skip_space: bool, complete: bool = True
) -> Iterator[tuple[Row, int]]:
    """The records of delimited lines (each with its line end) and how many lines each takes. Blank lines are empty rows.

    A quote that isn't closed within `RECORD_CHARS`, or before the end, is taken for a plain character; unless the lines
    aren't `complete`: then what follows it is left out.
    """
    single = "\x1f" if len(delimiter) > 1 else delimiter
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


RECORD_CHARS = 1 << 22
"""A record of several lines that is longer than this is no record: its quote was a plain character."""
FIELD_CHARS = (1 << 31) - 1


def _score(rows: Sequence[Located], mark: str, strict: bool) -> tuple[int, float]:
    """The usual number of fields, and how well the rows agree on it and their cells look like values, 0 to 1."""
    if not rows:
        return 1, 0.0
    counts = Counter(len(row) for row, _, _ in rows)
    width, agreeing = max(counts.items(), key=lambda pair: (pair[1], pair[0]))
    share = agreeing / len(rows)
    if width == 1:
        return 1, 0.0
    if mark in _SHY and (share < 0.9 or (len(rows) < 3 and mark != " ")):
        return width, 0.0
    if strict and (mark == " " or share < (0.95 if len(rows) > 2 else 1.0) or len(rows) < 2 or (width == 2 and mark in _SHY)):
        return width, 0.0
    if strict and width == 2 and mark == "," and any(row[1][:1] == " " for row, _, _ in rows if len(row) > 1):
        return width, 0.0
    cells = [cell.strip() for row, _, _ in rows[:200] for cell in row]
    clean = sum(0.0 if cell[:1] == '"' or cell[-1:] == '"' else 1.0 if _CLEAN.fullmatch(cell) else 0.6 for cell in cells) / len(cells)
    return width, share * clean * width / (width + 0.5) * (0.7 if mark in _SHY else 1.0)


# A whole value: nothing, a number, a date or time, an address of some kind, or a few words.
_CLEAN = re.compile(r"|[-+$€£]?[\d.,' ]+%?|[\d:/.T+Z -]+|\S+@\S+\.\S+|https?://\S+|[\w'’.() -]+|[\w:./#-]+")


def find_header(rows: Sequence[Row], usual: int, complete: bool, told: bool | None) -> tuple[int, bool]:
    """The row that a table starts with, and whether it is a header. Rows are title lines only where a header follows them.

    `usual` is the width of the table, `complete` and `told` as in `sniff`.
    """
    if told is False:
        return 0, False
    first = _table_start(rows, usual)
    if told or infer_header(rows[first:], complete):
        return first, bool(rows)
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


def _commented_header(
    lines: Sequence[str], preamble: int, rows: list[Located], candidate: _Candidate, width: int, has_header: bool
) -> tuple[int, list[Located], bool]:
    """The rows with the last comment line as their header where it names the columns ("#id,name")."""
    if width > 1:
        line = lines[preamble - 1].strip().lstrip("#%/;- ")
        named = next(records(iter((line,)), candidate.delimiter, candidate.quote, candidate.escape, candidate.skip_space), None)
        if named and len(named[0]) == width and infer_header([named[0], *(row for row, _, _ in rows)], False):
            return preamble - 1, [(named[0], 0, 1), *rows], True
    return preamble, rows, has_header
