"""What columns of a batch hold, looked at together: a call of polars costs as much as some thousand cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.detection.matching.match_column import Counts, count, parted
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.masking.apply.distinct_values import filled
from piiscan.masking.apply.originals import Originals, normalised
from piiscan.masking.apply.small_columns import stacked

_MEASURED: Final = 64
"""Texts of a column whose digits are counted."""

Places = NDArray[np.int64]


class ColumnValues(NamedTuple):
    """What the cells of a column hold.

    `filled`: how many hold something; `values`: their different values; `texts`: the same as texts, and `normalised`;
    `originals`: how many of them are somebody's; `digits`: how many most of them have; `counts`: what rules find in the
    texts, None where they didn't look.
    """

    filled: int
    values: pl.Series
    texts: pl.Series
    normalised: pl.Series
    originals: int
    digits: int
    counts: Counts | None


def values_of(
    columns: Sequence[pl.Series], searched: Sequence[bool], originals: Originals, prefilter: Prefilter
) -> Iterator[ColumnValues | None]:
    """What each column of one type holds, None for one that is empty. `searched`: in which rules look at texts."""
    present = _Stacked.of(columns).filled()
    values = present.distinct()
    texts = values.as_texts()
    plain = texts._replace(cells=normalised(texts.cells))
    known = plain.drop_nulls()
    found = known.counts(originals.among(known.cells))
    digits = texts.digits()
    inside = iter(
        _counts(texts, np.array(searched), prefilter) if values.cells.dtype == pl.String else [None] * len(columns)
    )
    for i, cells in enumerate(present.sizes.tolist()):
        counts = next(inside)
        if cells:
            yield ColumnValues(cells, values.part(i), texts.part(i), plain.part(i), int(found[i]), digits[i], counts)
        else:
            yield None


def _counts(texts: _Stacked, searched: NDArray[np.bool_], prefilter: Prefilter) -> list[Counts | None]:
    looked = texts if searched.all() else texts.filter(np.repeat(searched, texts.sizes))
    every = count(looked.cells, prefilter)
    counts = [every] if len(looked.stops) == 1 else parted(every, looked.stops)
    return [each if is_searched else None for each, is_searched in zip(counts, searched.tolist(), strict=True)]


class _Stacked(NamedTuple):
    """The cells of several columns, one below the other, and where each column ends."""

    cells: pl.Series
    stops: Places

    @classmethod
    def of(cls, columns: Sequence[pl.Series]) -> _Stacked:
        return cls(stacked(columns), np.cumsum([len(column) for column in columns]))

    @property
    def sizes(self) -> Places:
        return np.diff(self.stops, prepend=0)

    def part(self, i: int) -> pl.Series:
        start = int(self.stops[i - 1]) if i else 0
        return self.cells.slice(start, int(self.stops[i]) - start)

    def counts(self, is_counted: NDArray[np.bool_]) -> Places:
        """How many cells of each column are counted."""
        return np.diff(np.concatenate([[0], np.cumsum(is_counted)])[self.stops], prepend=0)

    def filter(self, stay: NDArray[np.bool_]) -> _Stacked:
        return _Stacked(self.cells.filter(pl.Series(stay)), np.cumsum(self.counts(stay)))

    def drop_nulls(self) -> _Stacked:
        return self.filter(self.cells.is_not_null().to_numpy()) if self.cells.null_count() else self

    def filled(self) -> _Stacked:
        return self._replace(cells=filled(self.cells)).drop_nulls()

    def as_texts(self) -> _Stacked:
        return self._replace(cells=self.cells.cast(pl.String, strict=False)).drop_nulls()

    def distinct(self) -> _Stacked:
        """Each value of a column once."""
        if len(self.stops) == 1:
            values = self.cells.unique()
            return _Stacked(values, np.array([len(values)]))
        column = np.repeat(np.arange(len(self.stops)), self.sizes)
        rows = pl.DataFrame({"column": column, "value": self.cells}).unique(maintain_order=True)
        stops = np.searchsorted(rows["column"].to_numpy(), np.arange(1, len(self.stops) + 1))
        return _Stacked(rows["value"], stops)

    def digits(self) -> list[int]:
        """The median of the digits in the first texts of each column."""
        sizes = self.sizes
        kept = np.minimum(sizes, _MEASURED)
        places = [np.arange(start, start + n) for start, n in zip(self.stops - sizes, kept, strict=True)]
        counts = self.cells.gather(np.concatenate(places)).str.count_matches("[0-9]").to_list()
        stops = np.cumsum(kept).tolist()
        return [int(median(counts[stop - n : stop] or [0])) for stop, n in zip(stops, kept.tolist(), strict=True)]
