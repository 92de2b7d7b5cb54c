"""The canonical text of cells, whatever type a format gave them.

Integers and integral floats as digits (a card number stored as a float is found), other floats in the shortest form
that reads back, booleans as true and false, dates and times in ISO 8601, bytes as UTF-8 where they are; texts as a
reader takes them (`cells_as_read`). A list is as many cells as it has elements, all in the row of the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from piiscan.detection.reading.cells_as_read import as_read, changed, read_otherwise

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
    """The cells of a column of any type as they are read."""
    return read(written(column))


def canonical_each(columns: Sequence[pl.Series]) -> list[CanonicalCells]:
    """`canonical` of each of some columns, at least one.

    All are looked at together: a call of polars costs as much as some thousand cells.
    """
    import polars as pl

    flat = [_flat(column) for column in columns]
    texts = [as_text(column) for column, _ in flat]
    every = pl.concat(texts, rechunk=True)
    starts = np.cumsum([0, *map(len, texts)])
    empty, read = _empty(every), read_otherwise(every)
    bounds = np.searchsorted(empty, starts).tolist()
    read_in = _by_column(read, starts)
    out = []
    for i, (text, (column, rows)) in enumerate(zip(texts, flat, strict=True)):
        are_texts = is_text(column.dtype)
        own = changed(text, read_in.get(i, {})) if are_texts else text
        out.append(_filled(own, rows, empty[bounds[i] : bounds[i + 1]] - starts[i], are_texts))
    return out


def _by_column(read: Mapping[int, str], starts: Rows) -> dict[int, dict[int, str]]:
    """The cells of many columns, one behind the other, by their column and their position in it."""
    places = np.fromiter(read, dtype=np.int64, count=len(read))
    columns = np.searchsorted(starts, places, side="right") - 1
    found: dict[int, dict[int, str]] = {}
    for column, place, text in zip(columns.tolist(), (places - starts[columns]).tolist(), read.values(), strict=True):
        found.setdefault(column, {})[place] = text
    return found


def read(cells: CanonicalCells, among: Rows | None = None) -> CanonicalCells:
    """Cells as they are read. `among`: as in `cells_as_read.as_read`."""
    return replace(cells, text=as_read(cells.text, among)) if cells.are_texts else cells


def written(column: pl.Series) -> CanonicalCells:
    """The cells of a column of any type; texts as they are written."""
    column, rows = _flat(column)
    text = as_text(column)
    return _filled(text, rows, _empty(text), is_text(column.dtype))


def _flat(column: pl.Series) -> tuple[pl.Series, Rows | None]:
    """A column whose lists are as many cells as they have elements, and the rows of these where it has lists."""
    import polars as pl

    rows: Rows | None = None
    while isinstance(column.dtype, (pl.List, pl.Array)):
        frame = pl.DataFrame(
            {"r": pl.Series(np.arange(len(column), dtype=np.int64) if rows is None else rows), "c": column}
        )
        frame = frame.explode("c")
        rows, column = frame["r"].to_numpy(), frame["c"]
    return column, rows


def _filled(text: pl.Series, rows: Rows | None, empty: Rows, are_texts: bool) -> CanonicalCells:
    """The cells that hold something. `empty`: where the others are."""
    if len(empty):
        index = np.delete(np.arange(len(text)), empty)
        text, rows = taken(text, index), index if rows is None else rows[index]
    return CanonicalCells(text.rechunk(), rows, len(empty), are_texts)


def _empty(text: pl.Series) -> Rows:
    """Where cells hold no more than ASCII white space.

    Few cells sort before "!", so most are decided by one comparison.
    """
    small = text < "!"
    if not text.null_count() and not small.any():
        return np.zeros(0, dtype=np.int64)
    where = np.flatnonzero(small.fill_null(value=True).to_numpy())
    filled: NDArray[np.bool_] = taken(text, where).str.contains(r"[^ \t\r\n]").fill_null(value=False).to_numpy()
    return where[~filled]


def is_text(dtype: pl.DataType) -> bool:
    """Whether cells of a type may be read otherwise than they are written."""
    import polars as pl

    return not (dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean)


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
