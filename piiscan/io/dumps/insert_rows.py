"""Find where the cells of INSERT statements begin and end.

Only quotes, parentheses and commas count, and whole blocks are processed at once: a place is within a string where the
number of quotes before it is odd.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.dumps import cut_cells
from piiscan.io.dumps.quotes import within

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_QUOTE, _OPEN, _CLOSE, _COMMA, _SPACE, _X = b"'(), x"
MARKS: Final = (0x1C, 0x1D, 0x1E, 0x1F, 1, 2, 3, 4, 5, 6, 7, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
"""Bytes that serve as marks in blocks that don't hold them."""
_FIRST: Final = 1 << 16
"""Bytes that a first row is looked for in, before it is in all of a part."""
MALFORMED: Final = "rows that aren't written as this dump's others; the rest of its table was not read"


class Block(NamedTuple):
    """Rows as they are written, in columns (`raw`), and what is needed to put them together again.

    That is the text before each row (`gaps`, by `kinds`), between the cells of a row (`comma`) and after the last row.
    `mark` represents `words`, those of a further statement.
    """

    raw: pl.DataFrame
    kinds: tuple[bytes, ...]
    gaps: NDArray[np.uint8]
    comma: bytes
    behind: bytes
    mark: bytes
    words: bytes


class Row(NamedTuple):
    """One row: the text before each of its cells, the cells, and the text after the last."""

    before: list[bytes]
    cells: list[bytes]
    behind: bytes


def last_row(data: bytes, escapes: bool) -> int | None:
    """Return the place after the comma of the last row that another row follows; None if there is none."""
    import numpy as np

    places, marks, depths, _ = _divided(data, b"", escapes)
    commas = np.flatnonzero((marks == _COMMA) & (depths == 0))
    return int(places[commas[-1]]) + 1 if len(commas) else None


def width_of(data: bytes, words: bytes, escapes: bool) -> int:
    """Return how many cells the first row has."""
    for size in (_FIRST, len(data)):
        if (row := next(rows(data[:size], words, None, escapes), None)) is not None:
            return len(row.cells)
    raise ReadError(MALFORMED)


def in_columns(data: bytes, words: bytes, width: int, escapes: bool) -> Block | None:
    """Return whole rows of `width` cells; None where they can't be cut all at once.

    They can't be if they aren't alike, or if no byte is free to mark where they are cut.
    """
    import numpy as np
    import polars as pl

    free = list(islice((code for code in MARKS if code not in data), 3))
    if len(free) < 3 or not width:
        return None
    mark, separator, end = free
    short = data.replace(words, bytes((mark,)))
    places, marks, depths, text = _divided(short, b"", escapes, mark)
    events = _events(places, marks, depths, width, mark)
    if events is None:
        return None
    opens, commas, closes, kind = events
    starts = commas.ravel() + 1
    spaced = text[np.minimum(starts, len(text) - 1)] == _SPACE
    inside = np.zeros(len(short) + 1, dtype=np.int8)
    inside[opens + 1] += 1
    inside[closes + 1] -= 1
    keep = np.cumsum(inside[:-1], dtype=np.int8).view(bool)
    outside = np.frombuffer(short, dtype=np.uint8)[~keep].tobytes()
    keep[starts[spaced]] = False
    if not _between(bytes((mark,))).fullmatch(outside):
        return None
    out = np.frombuffer(short, dtype=np.uint8).copy()
    out[commas.ravel()] = separator
    out[closes] = end
    raw = cut_cells.in_columns(out[keep].tobytes(), width, chr(separator), chr(end))
    if raw is None or raw.height != len(opens):
        return None
    if short.count(bytes((mark,))) > int((kind == mark).sum()):  # the words within a string
        shown = words.decode("utf-8", "replace")
        raw = raw.with_columns(pl.all().str.replace_all(chr(mark), shown, literal=True))
    first = {int(k): int(i) for k, i in zip(*np.unique(kind, return_index=True), strict=True)}
    kinds = [short[: opens[0]]]
    names = {}
    for k, i in first.items():
        names[k] = len(kinds)
        kinds.append(short[closes[i] + 1 : opens[i + 1]])
    gaps = np.zeros(len(opens), dtype=np.uint8)
    for k, number in names.items():
        gaps[1:][kind == k] = number
    comma = b", " if len(spaced) and spaced[0] else b","
    return Block(raw, tuple(kinds), gaps, comma, short[closes[-1] + 1 :], bytes((mark,)), words)


def together(block: Block, raw: pl.DataFrame) -> bytes:
    """Return the rows of a block with these cells."""
    import polars as pl

    if len(set(block.gaps[1:].tolist())) > 1:
        gap = pl.Series(block.gaps).replace_strict(
            dict(enumerate(k.decode() for k in block.kinds)), return_dtype=pl.String
        )
        first, before = b"", pl.lit(gap)
    else:
        first = block.kinds[0]
        before = pl.lit((block.kinds[-1] if len(block.gaps) > 1 else b"").decode())
    columns: list[pl.Expr] = [before, pl.lit("(")]
    for i, name in enumerate(raw.columns):
        columns += [pl.lit(block.comma.decode())] * bool(i) + [pl.col(name)]
    text = raw.select(pl.concat_str([*columns, pl.lit(")")]).str.join("")).item().encode()
    if first or not len(set(block.gaps[1:].tolist())) > 1:
        text = first + text[len(block.kinds[-1]) if len(block.gaps) > 1 else 0 :]
    whole: bytes = (text + block.behind).replace(block.mark, block.words)
    return whole


def rows(data: bytes, words: bytes, width: int | None, escapes: bool) -> Iterator[Row]:
    """Yield rows one by one. Raises `ReadError` for a row of another width."""
    free = next((code for code in MARKS if code not in data), None)
    mark = b"" if free is None else bytes((free,))
    data = data.replace(words, mark) if mark else data
    places, marks, depths, _ = _divided(data, b"" if mark else words, escapes)
    wanted = (
        ((marks == _OPEN) & (depths == 1)) | ((marks == _COMMA) & (depths == 1)) | ((marks == _CLOSE) & (depths == 0))
    )
    found = [*zip(places[wanted].tolist(), marks[wanted].tolist(), strict=True)]
    for row in _rows(data, found, re.escape(mark or words), width):
        yield _with_words(row, mark, words) if mark and mark in data else row


def _rows(data: bytes, found: list[tuple[int, int]], words: bytes, width: int | None) -> Iterator[Row]:
    """Yield the rows between the parentheses and commas that were `found`.

    `width` is None for a part without its end.
    """
    between, row = _between(words), Row([], [], b"")
    at = start = closed = 0
    is_closed = True
    for n, (place, kind) in enumerate(found):
        if kind == _OPEN:
            if not (is_closed and between.fullmatch(data[closed : place + 1])):
                raise ReadError(MALFORMED)
            row, is_closed = Row([], [], b""), False
            at, start = closed, place + 1
            continue
        cell = data[start:place]
        left = cell.lstrip()
        core = left.rstrip()
        lead = start + len(cell) - len(left)
        row.before.append(data[at:lead])
        row.cells.append(core)
        at, start = lead + len(core), place + 1
        if kind == _CLOSE:
            is_last = n + 1 == len(found) and width is not None
            is_closed, closed = True, len(data) if is_last else place + 1
            if (width is not None and len(row.cells) != width) or not between.fullmatch(data[place:closed]):
                raise ReadError(MALFORMED)
            yield row._replace(behind=data[at:closed])
    if width is not None and not (found and is_closed):
        raise ReadError(MALFORMED)


def _with_words(row: Row, mark: bytes, words: bytes) -> Row:
    return Row(
        [text.replace(mark, words) for text in row.before],
        [cell.replace(mark, words) for cell in row.cells],
        row.behind.replace(mark, words),
    )


def _events(
    places: NDArray[np.int64], marks: NDArray[np.uint8], depths: NDArray[np.int64], width: int, mark: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]] | None:
    """Return where rows open, divide into cells and close, and what is between two rows.

    None where the rows aren't all alike.
    """
    import numpy as np

    flat = depths == 0
    at_one = depths == 1
    wanted = np.where(marks == _OPEN, at_one, np.where(marks == _CLOSE, flat, flat | at_one))
    places, marks, depths = places[wanted], marks[wanted], depths[wanted]
    if len(places) and depths[-1] == 0 and marks[-1] != _CLOSE:
        places, marks = places[:-1], marks[:-1]  # the comma behind the last row of a part
    period = width + 2
    if (len(places) + 1) % period:
        return None
    table, kinds = np.append(places, 0).reshape(-1, period), np.append(marks, _COMMA).reshape(-1, period)
    between = kinds[:, -1]
    if not (
        (kinds[:, 0] == _OPEN).all()
        and (kinds[:, 1:-2] == _COMMA).all()
        and (kinds[:, -2] == _CLOSE).all()
        and ((between == _COMMA) | (between == mark)).all()
    ):
        return None
    return table[:, 0], table[:, 1:-2], table[:, -2], between[:-1]


def _divided(
    data: bytes, words: bytes, escapes: bool, mark: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]:
    """Return where parentheses, commas and marks are outside of strings.

    Also which each is, how deep it leaves the text within parentheses, and the text. `words` are passed over.
    """
    import numpy as np

    text = seen = np.frombuffer(data, dtype=np.uint8)
    if words and words in data:
        if b"'" in words:
            raise ReadError(MALFORMED)
        seen = text.copy()
        for found in re.finditer(re.escape(words), data):
            seen[found.start() : found.end()] = _X
    inside = within(data if seen is text else seen.tobytes(), escapes)
    if inside is None:
        seen = seen.copy()
        for found in _strings().finditer(data):
            if found["escaped"]:
                seen[found.start("escaped") + 1 : found.end() - 1] = _X
        inside = np.bitwise_xor.accumulate((seen == _QUOTE).view(np.uint8))
    structural = (seen == _OPEN) | (seen == _CLOSE) | (seen == _COMMA)
    if mark is not None:
        structural |= seen == mark
    places = np.flatnonzero(structural & (inside == 0))
    marks = seen[places]
    step = np.zeros(256, dtype=np.int64)
    step[_OPEN], step[_CLOSE] = 1, -1
    return places, marks, np.cumsum(step[marks]), text


@cache
def _between(words: bytes) -> re.Pattern[bytes]:
    """Return the pattern of what may be between rows and after the last; anything else would be overlooked.

    The words come first, as they begin with a semicolon that alone would be taken for one between statements.
    """
    return re.compile(rb"(?:" + words + rb"|[\s,();])*+(?:ON CONFLICT DO NOTHING\s*+)?", re.IGNORECASE)


@cache
def _strings() -> re.Pattern[bytes]:
    """Find the strings of a dialect in which only those after an E have escapes."""
    return re.compile(rb"(?<=[^\w$][eE])(?P<escaped>'(?:[^'\\]++|''|\\.)*+')|'[^']*+'", re.DOTALL)
