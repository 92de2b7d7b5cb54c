"""The canonical text of cells, whatever type a format gave them.

Integers and integral floats as digits (a card number stored as a float is found), other floats in the shortest form
that reads back, booleans as true and false, dates and times in ISO 8601, bytes as UTF-8 where they are; texts as a
reader takes them (`cells_as_read`). A list is as many cells as it has elements, all in the row of the list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from piiscan.detection.reading.cells_as_read import as_read

if TYPE_CHECKING:
    import polars as pl

Rows = NDArray[np.int64]
_FEW = 4096
_FEW_LISTED = 256
"""Up to here Python is done with cells before polars has begun."""
_SINGLE = 32
"""So many cells are asked for one by one."""


@dataclass(frozen=True)
class CanonicalCells:
    """The cells of one column that hold something, in row order.

    `text`: a string series without nulls and blanks, ASCII white space around a cell still there. `rows`: the row of
    each within the batch, or None where the i-th cell is in the i-th row. `key`: what the sample hashes, as long as
    `text`.
    `nulls`: how many cells hold nothing. `are_texts`: they may be read otherwise than they are written.
    """

    text: pl.Series
    rows: Rows | None
    nulls: int
    are_texts: bool

    @property
    def count(self) -> int:
        return len(self.text) + self.nulls

    def row_of(self, index: Rows) -> Rows:
        return index if self.rows is None else self.rows[index]


def taken(cells: pl.Series, index: Rows) -> pl.Series:
    """The cells at some positions.

    (For its first array polars loads a large part of numpy, which a small file can do without.)
    """
    return cells[index.tolist() if len(index) <= _FEW else index]


def texts_at(cells: pl.Series, index: Rows) -> list[Any]:
    """The cells at some positions, as a list.

    A few are asked for one by one, and of few cells all are listed first:
    polars takes longer to look at an index.
    """
    if len(cells) <= _FEW_LISTED or (len(cells) <= _FEW and 8 * len(index) > len(cells)):
        every = cells.to_list()
        return [every[i] for i in index.tolist()]
    if len(index) <= _SINGLE:
        return [cells[i] for i in index.tolist()]
    found: list[Any] = taken(cells, index).to_list()
    return found


def canonical(column: pl.Series) -> CanonicalCells:
    """The cells of a column of any type."""
    return read(written(column))


def read(cells: CanonicalCells, among: Rows | None = None) -> CanonicalCells:
    """Cells as they are read. `among`: as in `cells_as_read.as_read`."""
    return replace(cells, text=as_read(cells.text, among)) if cells.are_texts else cells


def written(column: pl.Series) -> CanonicalCells:
    """The cells of a column of any type; texts as they are written."""
    import polars as pl

    rows: Rows | None = None
    while isinstance(column.dtype, (pl.List, pl.Array)):
        frame = pl.DataFrame(
            {"r": pl.Series(np.arange(len(column), dtype=np.int64) if rows is None else rows), "c": column}
        )
        frame = frame.explode("c")
        rows, column = frame["r"].to_numpy(), frame["c"]
    text = as_text(column)
    index, filled = _few_filled(text) if len(text) <= _FEW_LISTED else (_filled(text), None)
    nulls = 0
    if index is not None:
        nulls = len(text) - len(index)
        text = taken(text, index) if filled is None else pl.Series(filled, dtype=pl.String)
        rows = index if rows is None else rows[index]
    text = text.rechunk()
    return CanonicalCells(text, rows, nulls, is_text(column.dtype))


def is_text(dtype: pl.DataType) -> bool:
    """Whether cells of a type may be read otherwise than they are written."""
    import polars as pl

    return not (dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean)


def _few_filled(text: pl.Series) -> tuple[Rows | None, list[str]]:
    """`_filled` of few cells, and those that are."""
    found = [(i, cell) for i, cell in enumerate(text.to_list()) if cell is not None and cell.strip(" \t\r\n")]
    where = None if len(found) == len(text) else np.array([i for i, _ in found], dtype=np.int64)
    return where, [cell for _, cell in found]


def _filled(text: pl.Series) -> Rows | None:
    """Where cells hold more than ASCII white space; None: everywhere.

    Few cells sort before "!", so most are decided by one comparison.
    """
    small = text < "!"
    if not text.null_count() and not small.any():
        return None
    filled = ~small.fill_null(value=True).to_numpy()
    where = np.flatnonzero(~filled)
    filled[where] = taken(text, where).str.contains(r"[^ \t\r\n]").fill_null(value=False).to_numpy()
    return None if filled.all() else np.flatnonzero(filled)


def as_text(column: pl.Series) -> pl.Series:
    """The cells of a column as texts; null stays null."""
    import polars as pl

    dtype = column.dtype
    if dtype == pl.String:
        return column
    if dtype.is_float():
        integral = ((column == column.round()) & (column.abs() < 2.0**63)).fill_null(value=False)
        where = integral.arg_true()
        if len(where) + column.null_count() == len(column):
            return column.cast(pl.Int64).cast(pl.String)
        text = column.cast(pl.String)
        return text.scatter(where, column.gather(where).cast(pl.Int64).cast(pl.String)) if len(where) else text
    if isinstance(dtype, pl.Datetime):
        return column.dt.to_string("iso:strict")
    if dtype == pl.Binary:
        return column.map_elements(_decode, return_dtype=pl.String)
    if isinstance(dtype, pl.Struct):
        return column.struct.json_encode()
    if dtype.is_nested():  # a list in a sampled row
        return pl.Series([None if value is None else str(value) for value in column.to_list()], dtype=pl.String)
    return column.cast(pl.String)


def _decode(value: bytes) -> str | None:
    """Bytes as text; those that aren't UTF-8 as Latin-1, in which ASCII identifiers still read."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
