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
_QUOTE, _OPEN, _CLOSE, _COMMA, _SPACE = b"'(), "
_BETWEEN: Final = (b"),\n\t(", b"),(", b"),\n(", b"), (")
"""What programs write between two rows of a statement."""
_ESCAPES: Final = (("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"), ('\\"', '"'), ("\\0", "\0"), ("\\Z", "\x1a"))


def values(data: bytes, words: bytes, width: int, escapes: bool) -> pl.DataFrame | None:
    """Return the values of whole rows, in columns of text; None where that isn't certain."""
    import polars as pl

    has_slashes = escapes and b"\\" in data
    needed = 3 if has_slashes else 1
    free = [bytes((code,)) for code in islice((code for code in MARKS if code not in data), needed)]
    form = _form(data, words, free[0]) if len(free) == needed and width > 1 else None
    if form is None:
        return None
    parts: list[bytes | memoryview] = []
    rows, has_null = 0, False
    for part in _parts(data, form):
        if has_slashes:
            part = bytes(part).replace(b"\\\\", free[1]).replace(b"\\'", free[2])
        cut = _as_csv(part, form, width)
        if cut is None:
            return None
        parts.append(cut.text)
        rows, has_null = rows + cut.rows, has_null or cut.has_null
    if has_null and b"'NULL'" in data:
        return None
    frame = _frame(parts, width, form)
    if frame is None or frame.height != rows:
        return None
    if has_null:
        frame = frame.with_columns(pl.when(pl.all() != "NULL").then(pl.all()))
    return _unescaped(frame, free[1].decode(), free[2].decode()) if has_slashes else frame


class _Form(NamedTuple):
    """How rows are written.

    What is between two rows, parentheses included: within a statement (`gap`, empty where each has one row) and
    between two (`statement`); whether a blank follows each comma between cells; and a byte that they don't contain.
    """

    gap: bytes
    statement: bytes
    is_spaced: bool
    mark: bytes


def _form(data: bytes, words: bytes, mark: bytes) -> _Form | None:
    """Return how rows are written; None where they don't begin and end with parentheses, or have one cell."""
    first, last = data.find(b"("), data.rfind(b")")
    comma = _first_comma().match(data)
    if first < 0 or last < 0 or data[:first].strip() or data[last + 1 :].strip(b" \t\r\n,") or b"'" in words:
        return None
    head = data[:_PART]
    gap = next((gap for gap in _BETWEEN if gap in head), b"")
    return None if comma is None else _Form(gap, b")" + words + b"(", bool(comma[1]), mark)


@cache
def _first_comma() -> re.Pattern[bytes]:
    """Return the pattern of rows up to the first comma outside of strings, and of a blank behind it."""
    return re.compile(rb"(?:[^',]++|'[^']*+')*+,( ?)")


def _parts(data: bytes, form: _Form) -> Iterator[bytes | memoryview]:
    """Yield some rows at a time, without what is between the parts.

    Parts that fit into a processor's cache are processed several times faster. Where rows are cut within a string, that
    string's quote is found to be missing.
    """
    at, last, gap = data.find(b"(") + 1, data.rfind(b")"), form.gap or form.statement
    whole = memoryview(data)
    while (stop := data.find(gap, at + _PART, last + 1)) >= 0:
        yield whole[at:stop]
        at = stop + len(gap)
    yield whole[at:last]


class _Cut(NamedTuple):
    """Some rows as CSV, how many they are, and whether there is a NULL."""

    text: memoryview
    rows: int
    has_null: bool


def _as_csv(part: bytes | memoryview, form: _Form, width: int) -> _Cut | None:
    """Return rows as CSV that divides cells by commas alone, without moving a byte.

    A blank behind a comma becomes a comma too, and what is between two rows a comma, blanks and a mark: columns that
    hold no values. None where a string isn't a whole cell, there is something other than numbers and words outside of
    strings, blanks are behind some commas only, or a row doesn't have `width` cells.
    """
    import numpy as np

    mark, is_spaced = form.mark[0], form.is_spaced
    text = np.empty(len(part) + 2, dtype=np.uint8)
    text[0] = text[-1] = mark
    text[1:-1] = np.frombuffer(part, dtype=np.uint8)
    quotes = np.flatnonzero(text == _QUOTE)
    if len(quotes) % 2:
        return None
    starts, ends = np.append(0, quotes[1::2] + 1), np.append(quotes[::2], len(text))
    lengths = ends - starts
    alone = np.flatnonzero(lengths == 1 + is_spaced)  # commas between two strings
    alone = alone[text[starts[alone]] == _COMMA]
    if is_spaced:
        alone = alone[text[starts[alone] + 1] == _SPACE]
    is_other = lengths > 0  # a quote is doubled within a string
    is_other[alone] = False
    blanks = starts[alone] + 1
    starts, ends = starts[is_other], ends[is_other]
    firsts, lasts = text[starts[1:]], text[ends[:-1] - 1]
    are_cells = (firsts == _COMMA) | (firsts == _CLOSE) | (firsts == mark)
    are_cells &= (lasts == (_SPACE if is_spaced else _COMMA)) | (lasts == _OPEN) | (lasts == mark)
    if not are_cells.all():
        return None
    closing = np.flatnonzero(text[starts] == _CLOSE)
    sizes = _marked(text, starts[closing], form)
    if sizes is None:
        return None
    starts[closing] += sizes - 1
    places = _places(starts, ends - starts)[:-1]  # nothing is behind the last
    closing = np.flatnonzero(text[places] == _CLOSE)
    sizes = _marked(text, places[closing], form)
    if sizes is None:
        return None
    if len(closing):
        places = np.delete(places, _places(closing, sizes - 2))
    outside = text[places]
    words = outside.tobytes().translate(None, b"'0123456789.+-, " + form.mark)
    is_comma, is_mark, is_blank = outside == _COMMA, outside == mark, outside == _SPACE
    blank, commas = np.flatnonzero(is_blank), np.cumsum(is_comma)
    before = np.searchsorted(blanks, places[is_mark]) + commas[is_mark]  # commas before each row, and behind all
    if (
        _words().fullmatch(words) is None
        or _has_empty(is_comma | is_mark, is_blank)
        or len(blank) != (commas[-1] if is_spaced else 0)
        or not is_comma[blank - 1].all()
        or (np.diff(before) != width - 1).any()
    ):
        return None
    if is_spaced:
        text[places[blank]] = text[blanks] = _COMMA
    return _Cut(text[1:-1].data, len(before) - 1, b"N" in words)


@cache
def _words() -> re.Pattern[bytes]:
    return re.compile(rb"(?:NULL|true|false|TRUE|FALSE)*+")


def _has_empty(is_end: NDArray[np.bool_], is_blank: NDArray[np.bool_]) -> bool:
    """Return whether a cell outside of strings is empty: there is nothing, or a blank, between two ends of cells."""
    return bool((is_end[1:] & is_end[:-1]).any() or (is_end[2:] & is_blank[1:-1] & is_end[:-2]).any())


def _marked(text: NDArray[np.uint8], closing: NDArray[np.int64], form: _Form) -> NDArray[np.int64] | None:
    """Write a comma, blanks and a mark in place of what is between rows, and return how long each such text was.

    `closing`: where it begins. None where something else begins there.
    """
    import numpy as np

    sizes = np.zeros(len(closing), dtype=np.int64)
    if not len(closing):
        return sizes
    is_gap = text[closing + 1] == _COMMA
    for between, at in ((form.gap, closing[is_gap]), (form.statement, closing[~is_gap])):
        if not len(at):
            continue
        size = len(between)
        if not size or int(at[-1]) + size >= len(text):
            return None
        # One element for each place where such a text fits.
        there = np.ndarray((len(text) - size + 1,), f"V{size}", text.data, strides=(1,))
        if there[at].tobytes() != between * len(at):
            return None
        for i, code in enumerate(between):
            if code == _COMMA:
                text[at + i] = _SPACE
        text[at], text[at + size - 1] = _COMMA, form.mark[0]
    sizes[is_gap], sizes[~is_gap] = len(form.gap), len(form.statement)
    return sizes


def _places(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of the bytes of some ranges, and of one byte behind each."""
    import numpy as np

    lengths = lengths + 1
    firsts = np.cumsum(lengths) - lengths
    places: NDArray[np.int64] = np.arange(int(lengths.sum())) - np.repeat(firsts - starts, lengths)
    return places


def _frame(parts: list[bytes | memoryview], width: int, form: _Form) -> pl.DataFrame | None:
    """Return CSV in columns."""
    import polars as pl

    names = [str(i) for i in range(width)]
    others = (name for i in names for name in (f"before {i}", i)) if form.is_spaced else iter(names)
    try:
        rows = pl.scan_csv(
            (b"," + form.mark).join([*parts, b""]),
            has_header=False,
            schema=dict.fromkeys([*islice(others, int(form.is_spaced), None), "behind"], pl.String),
            infer_schema=False,
            quote_char="'",
            eol_char=form.mark.decode(),
            empty_string_is_null=False,
            raise_if_empty=False,
            glob=False,
        )
        return rows.select(names).collect(engine="in-memory")
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
