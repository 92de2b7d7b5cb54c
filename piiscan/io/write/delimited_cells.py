"""Cells of delimited text as they are written: with their quotes. Whole columns at once.

Whether a cell was quoted is lost when it is read, so a mark that the text doesn't hold is put behind each opening quote
first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from piiscan.core.errors import WriteError
from piiscan.io.delimited.sniff import Dialect

if TYPE_CHECKING:
    import polars as pl

_MARKS = tuple(bytes((code,)) for code in (1, 2, 3, 4, 5, 6, 7, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23))


class SplitCells(NamedTuple):
    """Some rows in columns: `values` as a scan reads them, `raw` as in the file, `quoted` where they have quotes."""

    values: pl.DataFrame
    raw: pl.DataFrame
    quoted: dict[int, pl.Series]

    def slice(self, start: int, rows: int) -> SplitCells:
        quoted = {i: cells.slice(start, rows) for i, cells in self.quoted.items()}
        return SplitCells(self.values.slice(start, rows), self.raw.slice(start, rows), quoted)


def unused(data: bytes) -> bytes | None:
    """A byte that can serve as a mark, if there is one."""
    return next((mark for mark in _MARKS if mark not in data), None)


def marked(data: bytes, dialect: Dialect, mark: bytes) -> bytes | None:
    """Whole records with `mark` behind each opening quote; None where quotes don't stand as they should."""
    import numpy as np

    text = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(text == ord(dialect.quote or '"'))
    if len(quotes) % 2:
        return None
    # Within a quoted cell a quote is doubled: it closes and opens again at once.
    opening = quotes[::2]
    opening = opening[np.concatenate(([True], quotes[2::2] != quotes[1:-1:2] + 1))] if len(quotes) else opening
    before = text[opening - 1]
    starts = (opening == 0) | (before == ord(dialect.delimiter)) | (before == 10) | (before == 13)
    if not starts.all():
        return None
    is_mark = np.zeros(len(data) + len(opening), dtype=bool)
    is_mark[opening + np.arange(1, len(opening) + 1)] = True
    out = np.empty(len(is_mark), dtype=np.uint8)
    out[is_mark] = mark[0]
    out[~is_mark] = text
    return out.tobytes()


def unmarked(frame: pl.DataFrame, dialect: Dialect, mark: bytes) -> SplitCells:
    """The cells of a text in which opening quotes were marked."""
    import polars as pl

    sign, quote = mark.decode(), dialect.quote or '"'
    values: list[pl.Series] = []
    raw: list[pl.Series] = []
    quoted: dict[int, pl.Series] = {}
    for i, cells in enumerate(frame.iter_columns()):
        has = cells.str.starts_with(sign)
        if not has.any():
            values.append(cells)
            raw.append(cells)
            continue
        quoted[i] = has
        plain = cells.str.strip_prefix(sign)
        within = pl.concat_str(
            pl.lit(quote), pl.lit(plain).str.replace_all(quote, quote * 2, literal=True), pl.lit(quote)
        )
        values.append(plain)
        raw.append(pl.select(pl.when(has).then(within).otherwise(plain).alias(cells.name)).to_series())
    return SplitCells(pl.DataFrame(values), pl.DataFrame(raw), quoted)


def written(new: pl.Series, dialect: Dialect, quoted: pl.Series | None, column: str) -> pl.Series:
    """New cells (String) with quotes where they need them, and where the cell before was `quoted`.

    Raises `WriteError` where the dialect has no quotes and a cell needs them.
    """
    import polars as pl

    special = new.str.contains(_special(dialect)).fill_null(False)
    needs = special if quoted is None else special | (quoted & new.is_not_null())
    if not needs.any():
        return new
    if dialect.quote is None:
        raise WriteError(
            f"{column}: a new value holds the delimiter or a line end, and the file has no quotes; choose other values"
        )
    quote = dialect.quote
    text = pl.lit(new)
    if dialect.escape:
        text = text.str.replace_all("\\", "\\\\", literal=True)
    text = text.str.replace_all(quote, "\\" + quote if dialect.escape else quote * 2, literal=True)
    whole = pl.concat_str(pl.lit(quote), text, pl.lit(quote))
    return pl.select(pl.when(pl.lit(needs)).then(whole).otherwise(pl.lit(new)).alias(new.name)).to_series()


def _special(dialect: Dialect) -> str:
    marks = [
        dialect.delimiter,
        "\n",
        "\r",
        *([dialect.quote] if dialect.quote else []),
        *(["\\"] if dialect.escape else []),
    ]
    found = "|".join(re.escape(mark) for mark in marks)
    return f"{found}|^ " if dialect.skip_space else found


def as_text(cells: pl.Series) -> pl.Series:
    """Cells of any type as text."""
    import polars as pl

    return cells if cells.dtype == pl.String else cells.cast(pl.String)


def to_bytes(columns: Sequence[pl.Series], dialect: Dialect, end: str) -> bytes:
    """Raw cells as delimited text."""
    import io

    import polars as pl

    buffer = io.BytesIO()
    frame = pl.DataFrame([cells.alias(str(i)) for i, cells in enumerate(columns)])
    frame.write_csv(
        buffer,
        include_header=False,
        separator=dialect.delimiter,
        quote_style="never",
        line_terminator=end,
        null_value="",
    )
    return buffer.getvalue()
