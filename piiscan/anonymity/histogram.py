"""The histogram of a table: how often each combination of values occurs.

Everything in this package works on the histogram, never on rows again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

Ints = npt.NDArray[np.int64]
ROWS: Final = "rows"
_MOST: Final = (1 << 63) - 1
_TOGETHER: Final = 16
"""Batches that are counted before their sums are added up."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Distinct combinations of the cells of some columns, as text, and in how many rows each occurs.

    `frame` has a column for each of the table's columns that are counted, named by its index ("0", "3"), and `rows`
    (Int64, positive). Its entries have no particular order until they are `sorted`.

    Guarantee:
        Assumes: both sides of `+` count the same columns.
        Ensures: an exact commutative monoid: `of(a) + of(b) == of(a followed by b)`, `empty` is neutral.
        Does not protect against: anything. It contains cell values, and stays in memory.
    """

    frame: pl.DataFrame

    @classmethod
    def empty(cls, columns: Sequence[int]) -> Histogram:
        return cls(pl.DataFrame(schema={**{str(i): pl.Categorical() for i in columns}, ROWS: pl.Int64}))

    @classmethod
    def of(cls, frame: pl.DataFrame, columns: Sequence[int]) -> Histogram:
        """Count the rows of a batch, whose columns are named by their indices."""
        return cls(_counted(texts(frame, columns).with_columns(pl.lit(1, pl.Int64).alias(ROWS))))

    @classmethod
    def total(
        cls, parts: Iterable[Histogram], columns: Sequence[int], watch: Callable[[int], None] | None = None
    ) -> Histogram:
        """The sum of many histograms, sorted. `watch` is called with how many entries there are so far."""
        return cls.sum(parts, columns, watch).sorted()

    @classmethod
    def sum(
        cls, parts: Iterable[Histogram], columns: Sequence[int], watch: Callable[[int], None] | None = None
    ) -> Histogram:
        """The same, its entries in no particular order."""
        waiting = [cls.empty(columns).frame]
        for part in parts:
            waiting.append(part.frame)
            if len(waiting) > _TOGETHER:
                waiting = [_counted(pl.concat(waiting))]
                if watch is not None:
                    watch(len(waiting[0]))
        return cls(_counted(pl.concat(waiting)))

    def __add__(self, other: Histogram) -> Histogram:
        return Histogram(_counted(pl.concat([self.frame, other.frame])))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram) and self.sorted().frame.equals(other.sorted().frame)

    __hash__ = None  # type: ignore[assignment]

    def sorted(self) -> Histogram:
        """Return the histogram with its entries in the order of their texts, empty cells last.

        The result is the same for any order of rows.
        """
        place, places = np.zeros(len(self.frame), dtype=np.int64), 1
        for column in self.columns:  # sorting numbers takes a fraction of what sorting texts does
            found = self.coded(column)
            if places * len(found.values) > _MOST:
                place, places = np.unique(place, return_inverse=True)[1], len(place)
            place, places = place * len(found.values) + found.codes, places * len(found.values)
        return Histogram(self.frame[np.argsort(place)]) if self.columns else self

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(int(name) for name in self.frame.columns if name != ROWS)

    @property
    def rows(self) -> Ints:
        """Rows of each entry."""
        return self.frame[ROWS].to_numpy()

    def coded(self, column: int) -> Coded:
        """Return a column's sorted values, and the index of each entry's value among them."""
        return coded(self.frame[str(column)])


@dataclass(frozen=True, slots=True)
class Coded:
    """`values`: sorted texts, None last. `codes` (entries,): the place in `values` of each entry's value."""

    values: tuple[str | None, ...]
    codes: Ints


def texts(frame: pl.DataFrame, columns: Sequence[int]) -> pl.DataFrame:
    """Return the columns of a batch as categories of text.

    Empty text becomes null, since some formats have nothing else for a missing value.
    """
    filled = frame.select(pl.col(str(i)).cast(pl.String) for i in columns)
    return filled.select(pl.when(pl.all() != "").then(pl.all())).cast(pl.Categorical())


def coded(cells: pl.Series) -> Coded:
    """The different texts among some cells, and which of them each cell has."""
    values = cells.unique().cast(pl.String).sort(nulls_last=True)
    known = values.drop_nulls()
    codes = cells.cast(pl.Enum(known)).to_physical().cast(pl.Int64).fill_null(len(known))
    return Coded(tuple(values.to_list()), codes.to_numpy())


def _counted(frame: pl.DataFrame) -> pl.DataFrame:
    columns = [name for name in frame.columns if name != ROWS]
    if not columns:
        return frame.select(pl.col(ROWS).sum()).filter(pl.col(ROWS) > 0)
    return frame.group_by(columns).agg(pl.col(ROWS).sum())
