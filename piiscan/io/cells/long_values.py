"""Leaves out values and rows that exceed their share of the memory; the report says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar, cast

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import Batch

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T", bound="pl.DataFrame | Batch")


class LongValue(ReadError):
    """Some values weren't scanned; all others were, unless the message says so. `column`: that of the first."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


class LeftOut:
    """What was left out of a table, for the message at its end."""

    def __init__(self) -> None:
        self._count, self._first = 0, ""
        self._column: int | None = None
        self._given_up = False

    def value(self, row: int | None, column: int | None) -> None:
        """A value of a row, which are counted from 0."""
        self._add("value", row, column, shares.value())

    def row(self, row: int | None) -> None:
        """A row, or the text that one is read from."""
        self._add("row", row, None, shares.row())

    def rest_of_column(self) -> None:
        """Of a column with many such values, no more is read."""
        self._given_up = True

    def _add(self, what: str, row: int | None, column: int | None, limit: int) -> None:
        self._count += 1
        if not self._first:
            self._column = column
            where = (
                "one somewhere" if row is None else f"row {row + 1:,}" if what == "row" else f"that in row {row + 1:,}"
            )
            self._first = f"a {what} may take {limit >> 20:,} MiB of memory, and {where} takes more"

    def error(self) -> LongValue | None:
        """The message about what was left out; None where nothing was."""
        if not self._count:
            return None
        others = "" if self._count == 1 else f", as do {self._count - 1:,} others"
        rest = "of a column with many such values no more was read" if self._given_up else "the rest was read"
        return LongValue(f"{self._first}{others}; {rest}; allow more with --memory", self._column)


def without(frames: Iterator[T]) -> Iterator[T]:
    """The rows with null in the place of values and rows above their share. Raises `LongValue` at the end."""
    out, at = LeftOut(), 0
    most = shares.value()
    for one in frames:
        found: pl.DataFrame | Batch = one
        frame, first = (found.frame, found.offset) if isinstance(found, Batch) else (found, at)
        at += frame.height
        if frame.estimated_size() > most:
            frame = _cleared(frame, first, out)
            found = found._replace(frame=frame) if isinstance(found, Batch) else frame
        yield cast(T, found)
    if (error := out.error()) is not None:
        raise error


def _cleared(frame: pl.DataFrame, first: int | None, out: LeftOut) -> pl.DataFrame:
    import polars as pl

    sizes = {
        name: size
        for name, dtype in frame.schema.items()
        if dtype in (pl.String, pl.List(pl.String)) and (size := _sizes(frame[name])).sum() > shares.value()
    }
    long = [(row, name) for name, size in sizes.items() for row in (size > shares.value()).arg_true().to_list()]
    for row, name in sorted(long):
        out.value(None if first is None else first + row, int(name))
    empty = {name: [row for row, where in long if where == name] for _, name in long}
    if len(sizes) > 1:
        rest = {name: size.scatter(empty[name], 0) if name in empty else size for name, size in sizes.items()}
        rows = pl.DataFrame(rest).sum_horizontal()
        for row in (rows > shares.row()).arg_true().to_list():
            out.row(None if first is None else first + row)
            for name in sizes:
                empty.setdefault(name, []).append(row)
    if not empty:
        return frame
    return frame.with_columns(_emptied(frame[name], rows) for name, rows in empty.items())


def _emptied(cells: pl.Series, rows: list[int]) -> pl.Series:
    import polars as pl

    keep = pl.repeat(True, len(cells), dtype=pl.Boolean, eager=True).scatter(rows, False)
    return cells.zip_with(keep, pl.Series([None], dtype=cells.dtype).new_from_index(0, len(cells))).alias(cells.name)


def _sizes(cells: pl.Series) -> pl.Series:
    """Bytes of each cell, of a list's elements together."""
    import polars as pl

    if cells.dtype == pl.String:
        return cells.str.len_bytes().cast(pl.Int64).fill_null(0)
    return cells.list.eval(pl.element().str.len_bytes().cast(pl.Int64)).list.sum().fill_null(0)
