"""Rows of INSERT statements that are all written alike, read at once: as CSV whose quotes are single ones.

What isn't surely of that form, with cells that are numbers, NULL, true, false or plain strings, is left to
`insert_rows`.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from piiscan.io.dumps.insert_rows import MARKS
from piiscan.io.dumps.quotes import within

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_QUOTE, _OPEN, _CLOSE, _COMMA, _SPACE = b"'(), "
_BETWEEN: Final = (b"),\n\t(", b"),(", b"),\n(", b"), (")
"""What programs write between two rows of a statement."""
_ESCAPES: Final = (("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"), ('\\"', '"'), ("\\0", "\0"), ("\\Z", "\x1a"))


def values(data: bytes, words: bytes, width: int, escapes: bool) -> pl.DataFrame | None:
    """What the cells of whole rows say, in columns of text; None where that isn't sure."""
    import numpy as np

    free = list(islice((code for code in MARKS if code not in data), 4))
    if len(free) < 4 or width < 2 or b"'NULL'" in data:
        return None
    separator, end, slash, quote = (bytes((code,)) for code in free)
    body = _joined(data, words, end)
    if body is None:
        return None
    if escapes and b"\\" in body:
        body = body.replace(b"\\\\", slash).replace(b"\\'", quote)
    inside = within(body, False)
    if inside is None or inside[-1]:
        return None
    text = np.frombuffer(body, dtype=np.uint8)
    outside = inside == 0
    commas, ends = np.flatnonzero((text == _COMMA) & outside), np.flatnonzero(text == end[0])
    if not _are_rows(commas, ends, width) or inside[ends].any():
        return None
    cut = text.copy()
    cut[commas] = separator[0]
    if not _are_cells(cut, inside, separator[0], end[0]) or not _is_plain(cut[outside].tobytes(), separator, end):
        return None
    csv = cut.tobytes().replace(separator + b" ", separator)
    frame = _frame(csv, width, separator, end)
    if frame is None or frame.height != len(ends) + 1:
        return None
    return _unescaped(frame, slash.decode(), quote.decode()) if escapes else frame


def _joined(data: bytes, words: bytes, end: bytes) -> bytes | None:
    """The rows without their parentheses and what is between them, of which `end` takes the place."""
    core = data.strip(b" \t\r\n,")
    if not (core.startswith(b"(") and core.endswith(b")")):
        return None
    core = core[1:-1].replace(b")" + words + b"(", end)
    for gap in _BETWEEN:
        if gap in core:
            return core.replace(gap, end)
    return core


def _are_rows(commas: NDArray[np.int64], ends: NDArray[np.int64], width: int) -> bool:
    """Whether there are as many commas in each row."""
    import numpy as np

    if len(commas) != (len(ends) + 1) * (width - 1):
        return False
    by_row = commas.reshape(-1, width - 1)
    return bool(np.all(by_row[:-1, -1] < ends) and np.all(by_row[1:, 0] > ends))


def _are_cells(cut: NDArray[np.uint8], inside: NDArray[np.uint8], separator: int, end: int) -> bool:
    """Whether each string is a cell, with nothing before or behind it, and none is empty of anything."""
    import numpy as np

    quotes = np.flatnonzero(cut == _QUOTE)
    opening, closing = quotes[inside[quotes] == 1], quotes[inside[quotes] == 0]
    padded = np.concatenate([np.array([end, separator], dtype=np.uint8), cut, np.array([end], dtype=np.uint8)])
    before, behind, two = padded[opening + 1], padded[closing + 3], padded[opening]
    is_mark = (before == separator) | (before == end) | (before == _QUOTE)
    is_mark |= (before == _SPACE) & (two == separator)
    if not (is_mark.all() and ((behind == separator) | (behind == end) | (behind == _QUOTE)).all()):
        return False
    marks = np.flatnonzero((cut == separator) | (cut == end))
    nothing = padded[marks + 3]
    return not bool(((nothing == separator) | (nothing == end)).any()) and cut[0] != separator


@cache
def _words() -> re.Pattern[bytes]:
    return re.compile(rb"(?:NULL|true|false|TRUE|FALSE)*+")


def _is_plain(outside: bytes, separator: bytes, end: bytes) -> bool:
    """Whether nothing but numbers and words stands outside of strings."""
    return _words().fullmatch(outside.translate(None, b"'0123456789.+- " + separator + end)) is not None


def _frame(csv: bytes, width: int, separator: bytes, end: bytes) -> pl.DataFrame | None:
    import polars as pl

    try:
        return pl.scan_csv(
            csv,
            has_header=False,
            schema={str(i): pl.String for i in range(width)},
            infer_schema=False,
            separator=separator.decode(),
            quote_char="'",
            eol_char=end.decode(),
            null_values="NULL",
            empty_string_is_null=False,
            raise_if_empty=False,
            glob=False,
        ).collect(engine="in-memory")
    except pl.exceptions.PolarsError:
        return None


def _unescaped(frame: pl.DataFrame, slash: str, quote: str) -> pl.DataFrame | None:
    """Cells with what MySQL's escapes stand for; None where there are rarer ones."""
    columns = []
    for cells in frame.iter_columns():
        if cells.str.contains("\\", literal=True).any():
            for written, meant in _ESCAPES:
                cells = cells.str.replace_all(written, meant, literal=True)
            if cells.str.contains("\\", literal=True).any():
                return None
        for mark, meant in ((slash, "\\"), (quote, "'")):
            if cells.str.contains(mark, literal=True).any():
                cells = cells.str.replace_all(mark, meant, literal=True)
        columns.append(cells)
    return frame.with_columns(columns)
