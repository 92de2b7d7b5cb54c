"""Dates in the proof: how they are written, and what chance gives of those that were moved."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.proof.printer import Rows

COMPACT: Final = ("%Y%m%d", "%d%m%Y", "%m%d%Y", "%d%m%y", "%m%d%y")
"""How days are written without marks."""
_MONTHS: Final = 12


def as_days(values: pl.Series) -> pl.Series:
    """Cells as days (Date), null for what isn't written as one."""
    if values.dtype == pl.Date:
        return values
    if values.dtype.is_temporal():
        return values.cast(pl.Date, strict=False)
    text = values.cast(pl.String).str.strip_chars()
    forms = ("%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%Y%m%d")
    written = text.str.extract(r"^([\d./-]+)")
    read = []
    for form in forms:
        read.append(written.str.to_date(form, strict=False))
        if read[-1].null_count() == written.null_count():  # the first that reads all
            break
    return max(read, key=lambda days: len(days) - days.null_count())


def reads_twice(first: Rows, second: Rows) -> NDArray[np.bool_]:
    """Which days are another day where day and month are swapped, and begin with one of the two, by two numbers."""
    found: NDArray[np.bool_] = (first <= _MONTHS) & (second <= _MONTHS) & (first != second)
    return found


class MovedDates:
    """By how many days dates were moved, and how far each is from the same date with day and month swapped.

    A mask at exactly that distance reads as the original if day and month are swapped, but no reader can know that.
    """

    def __init__(self) -> None:
        self._moves, self._swaps = Counter[int](), Counter[int]()

    def add(self, days: pl.Series, masks: pl.Series) -> None:
        """Dates, and their masks (null where that is no date)."""
        at = pl.DataFrame({"x": days, "y": masks})
        x = pl.col("x")
        swapped = pl.date(x.dt.year(), x.dt.day(), x.dt.month())
        twice = (x.dt.day() <= _MONTHS) & (x.dt.day() != x.dt.month())
        far = at.filter(twice).select((swapped - x).dt.total_days()).to_series()
        self._moves.update((at["y"] - at["x"]).dt.total_days().drop_nulls().to_list())
        self._swaps.update(far.to_list())

    def add_all(self, other: MovedDates) -> None:
        """The dates of another one."""
        self._moves.update(other._moves)
        self._swaps.update(other._swaps)

    def share(self) -> float:
        """Of the dates that can be read twice, the share expected to have a mask that is them, swapped."""
        moves, swaps = self._moves.total(), self._swaps.total()
        by_chance = sum(times * self._moves[far] for far, times in self._swaps.items())
        return by_chance / (moves * swaps) if moves and swaps else 0.0
