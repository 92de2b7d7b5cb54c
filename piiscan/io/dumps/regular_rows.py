"""Read rows of INSERT statements that are all written alike, at once: as CSV with single quotes.

Rows that aren't certainly of that form, with cells that are numbers, NULL, true, false or plain strings, are left to
`insert_rows`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.io.dumps.insert_rows import MARKS

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_PART: Final = 1 << 19
_QUOTE, _COMMA, _SPACE = b"', "
_BETWEEN: Final = (b"),\n\t(", b"),(", b"),\n(", b"), (")
"""What programs write between two rows of a statement."""
_ESCAPES: Final = (("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"), ('\\"', '"'), ("\\0", "\0"), ("\\Z", "\x1a"))


def values(data: bytes, words: bytes, width: int, escapes: bool) -> pl.DataFrame | None:
    """Return the values of whole rows, in columns of text; None where that isn't certain."""
    import polars as pl

    has_slashes = escapes and b"\\" in data
    needed = 3 if has_slashes else 1
    free = [bytes((code,)) for code in islice((code for code in MARKS if code not in data), needed)]
    if len(free) < needed or width < 2:
        return None
    end = free[0]
    found = _parts(data, words, end)
    if found is None:
        return None
    parts: list[bytes | memoryview] = []
    commas, rows, has_null = 0, 0, False
    for part in found:
        if has_slashes:
            part = part.replace(b"\\\\", free[1]).replace(b"\\'", free[2])
        cut = _as_csv(part, end)
        if cut is None:
            return None
        parts.append(cut.text)
        commas, rows = commas + cut.commas, rows + cut.rows
        has_null = has_null or cut.has_null
    if has_null and b"'NULL'" in data:
        return None
    # Polars refuses longer rows, and fills shorter ones.
    frame = _frame(end.join(parts), width, end) if commas == rows * (width - 1) else None
    if frame is None or frame.height != rows:
        return None
    if has_null:
        frame = frame.with_columns(pl.when(pl.all() != "NULL").then(pl.all()))
    return _unescaped(frame, free[1].decode(), free[2].decode()) if has_slashes else frame


def _parts(data: bytes, words: bytes, end: bytes) -> Iterator[bytes] | None:
    """Yield the rows without parentheses, with `end` in place of what is between them, some at a time.

    Parts that fit into a processor's cache are processed several times faster. None where rows don't begin and end that
    way. Where rows are cut within a string, that string's quote is found to be missing.
    """
    first, last = data.find(b"("), data.rfind(b")")
    if first < 0 or last < 0 or data[:first].strip() or data[last + 1 :].strip(b" \t\r\n,"):
        return None
    statement, head = b")" + words + b"(", data[:_PART]
    gap = next((gap for gap in _BETWEEN if gap in head), statement)

    def marked(part: bytes) -> bytes:
        # bytes.replace looks for its text twice: it counts first.
        part = end.join(part.split(statement))
        return part if gap == statement else end.join(part.split(gap))

    def cut() -> Iterator[bytes]:
        at = first + 1
        while (stop := data.find(gap, at + _PART, last + 1)) >= 0:
            yield marked(data[at:stop])
            at = stop + len(gap)
        yield marked(data[at:last])

    return cut()


class _Cut(NamedTuple):
    """Some rows as CSV, how many commas divide their cells, how many rows they are, and whether there is a NULL."""

    text: bytes | memoryview
    commas: int
    rows: int
    has_null: bool


def _as_csv(part: bytes, end: bytes) -> _Cut | None:
    """Return rows as CSV that divides cells by commas alone.

    None where a string isn't a whole cell, or there is something other than numbers and words outside of strings.
    """
    import numpy as np

    text = np.frombuffer(end + part + end, dtype=np.uint8)
    quotes = np.flatnonzero(text == _QUOTE)
    ends = np.flatnonzero(text[1:-1] == end[0]) + 1
    rows = len(ends) + 1
    if len(quotes) % 2 or (np.searchsorted(quotes, ends) & 1).any():
        return None
    if not len(quotes):
        words = _plain_words(end + part + end, end)
        return None if words is None else _Cut(part.replace(b", ", b","), part.count(b","), rows, b"N" in words)
    opening, closing = quotes[::2], quotes[1::2]
    before, two = text[opening - 1], text[np.maximum(opening - 2, 0)]
    spaced = (before == _SPACE) & (two == _COMMA)
    behind = text[closing + 1]
    sides = spaced | (before == _COMMA) | (before == end[0]) | (before == _QUOTE)
    if not (sides.all() and ((behind == _COMMA) | (behind == end[0]) | (behind == _QUOTE)).all()):
        return None
    places, commas = _outside(text, opening, closing, spaced)
    outside = text[places]
    words = _plain_words(outside.tobytes(), end)
    if words is None:
        return None
    commas += int(np.count_nonzero(outside == _COMMA))
    blanks = places[1:][(outside[1:] == _SPACE) & (outside[:-1] == _COMMA)]
    if not len(blanks) and not spaced.any():
        return _Cut(part, commas, rows, b"N" in words)
    keep = np.ones(len(text), dtype=np.bool_)
    keep[opening[spaced] - 1] = keep[blanks] = keep[0] = keep[-1] = False
    return _Cut(text[keep].data, commas, rows, b"N" in words)


def _outside(
    text: NDArray[np.uint8], opening: NDArray[np.int64], closing: NDArray[np.int64], spaced: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], int]:
    """Return the bytes between strings, with a quote for each string.

    A comma or a mark alone is left out, and such commas are counted. `spaced`: which strings have a comma and a blank
    before them.
    """
    import numpy as np

    starts, ends = np.append(0, closing + 1), np.append(opening, len(text))
    lengths = ends - starts
    pairs = spaced & (lengths[:-1] == 2)
    commas = int(np.count_nonzero(text[starts[lengths == 1]] == _COMMA) + np.count_nonzero(pairs))
    plain = lengths < 2
    plain[:-1] |= pairs
    is_last = not plain[-1]
    starts, lengths = starts[~plain], lengths[~plain] + 1  # the quote behind included
    firsts = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum())) - np.repeat(firsts - starts, lengths)
    return (places[:-1] if is_last else places), commas  # behind the last row there is no quote


@cache
def _words() -> re.Pattern[bytes]:
    return re.compile(rb"(?:NULL|true|false|TRUE|FALSE)*+")


def _plain_words(outside: bytes, end: bytes) -> bytes | None:
    """Return the words outside of strings; None unless these and numbers are all there is, and no cell is empty."""
    tight = outside.replace(b", ", b",").replace(end, b",")
    words = outside.translate(None, b"'0123456789.+-, " + end)
    return words if b",," not in tight and _words().fullmatch(words) is not None else None


def _frame(csv: bytes, width: int, end: bytes) -> pl.DataFrame | None:
    import polars as pl

    try:
        return pl.scan_csv(
            csv,
            has_header=False,
            schema={str(i): pl.String for i in range(width)},
            infer_schema=False,
            quote_char="'",
            eol_char=end.decode(),
            empty_string_is_null=False,
            raise_if_empty=False,
            glob=False,
        ).collect(engine="in-memory")
    except pl.exceptions.PolarsError:
        return None


def _unescaped(frame: pl.DataFrame, slash: str, quote: str) -> pl.DataFrame | None:
    """Return cells with MySQL's escapes replaced; None where there are rare ones."""
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
