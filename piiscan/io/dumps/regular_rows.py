"""Read rows of INSERT statements that are all written alike, at once: as CSV with single quotes.

Rows that aren't certainly of that form, with cells that are numbers, NULL, true, false or plain strings, are left to
`insert_rows`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final

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

    free = list(islice((code for code in MARKS if code not in data), 3))
    if len(free) < 3 or width < 2 or b"'NULL'" in data:
        return None
    end, slash, quote = (bytes((code,)) for code in free)
    found = _parts(data, words, end)
    if found is None:
        return None
    parts: list[bytes] = []
    commas, rows, has_null = 0, 0, False
    for part in found:
        if escapes and b"\\" in part:
            part = part.replace(b"\\\\", slash).replace(b"\\'", quote)
        cut = _as_csv(part, end)
        if cut is None:
            return None
        parts.append(cut[0])
        commas, rows = commas + cut[1], rows + part.count(end) + 1
        has_null = has_null or b"NULL" in part
    # Polars refuses longer rows, and fills shorter ones.
    frame = _frame(end.join(parts), width, end) if commas == rows * (width - 1) else None
    if frame is None or frame.height != rows:
        return None
    if has_null:
        frame = frame.with_columns(pl.when(pl.all() != "NULL").then(pl.all()))
    return _unescaped(frame, slash.decode(), quote.decode()) if escapes else frame


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

    def cut() -> Iterator[bytes]:
        at = first + 1
        while (stop := data.find(gap, at + _PART, last + 1)) >= 0:
            yield data[at:stop].replace(statement, end).replace(gap, end)
            at = stop + len(gap)
        yield data[at:last].replace(statement, end).replace(gap, end)

    return cut()


def _as_csv(part: bytes, end: bytes) -> tuple[bytes, int] | None:
    """Return rows as CSV that divides cells by commas alone, and their number of cells.

    None where a string isn't a whole cell, or there is something other than numbers and words outside of strings.
    """
    import numpy as np

    text = np.frombuffer(end + part + end, dtype=np.uint8)
    quotes = np.flatnonzero(text == _QUOTE)
    ends = np.flatnonzero(text[1:-1] == end[0]) + 1
    if len(quotes) % 2 or (np.searchsorted(quotes, ends) & 1).any():
        return None
    if not len(quotes):
        return (part.replace(b", ", b","), part.count(b",")) if _is_plain(end + part + end, end) else None
    opening, closing = quotes[::2], quotes[1::2]
    before, two = text[opening - 1], text[np.maximum(opening - 2, 0)]
    spaced = (before == _SPACE) & (two == _COMMA)
    behind = text[closing + 1]
    sides = spaced | (before == _COMMA) | (before == end[0]) | (before == _QUOTE)
    if not (sides.all() and ((behind == _COMMA) | (behind == end[0]) | (behind == _QUOTE)).all()):
        return None
    places, commas = _outside(text, opening, closing, spaced)
    outside = text[places]
    if not _is_plain(outside.tobytes(), end):
        return None
    blanks = places[1:][(outside[1:] == _SPACE) & (outside[:-1] == _COMMA)]
    keep = np.ones(len(text), dtype=np.bool_)
    keep[opening[spaced] - 1] = keep[blanks] = keep[0] = keep[-1] = False
    return text[keep].tobytes(), commas + int(np.count_nonzero(outside == _COMMA))


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


def _is_plain(outside: bytes, end: bytes) -> bool:
    """Return whether only numbers and words are outside of strings, and no cell is empty."""
    tight = outside.replace(b", ", b",").replace(end, b",")
    words = outside.translate(None, b"'0123456789.+-, " + end)
    return b",," not in tight and _words().fullmatch(words) is not None


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
