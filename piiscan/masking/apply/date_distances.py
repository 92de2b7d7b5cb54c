"""Checks whether the dates of each subject moved by the same number of days.

It keeps distances and hashes of subjects, never a date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from secrets import token_bytes
from threading import Lock
from typing import Final

import polars as pl

from piiscan.masking.known.dates_in_texts import REMOVED, Order, WrittenDate, dates_in, may_have_dates
from piiscan.masking.operators import date_text

_PENDING: Final = 1 << 20
_SCHEMA: Final = {"column": pl.UInt32, "subject": pl.UInt64, "moved": pl.Int64, "cells": pl.UInt32}
Place = tuple[str, str | None, str]
"""Source, table and label of a column."""


class DateDistances:
    """Collects dates before and after masking, in any order and from several threads; `results` judges them.

    A subject, or a row without a known subject, takes 24 bytes for each column that has its dates.
    """

    def __init__(self) -> None:
        self._seed = int.from_bytes(token_bytes(8), "little") >> 1
        self._lock = Lock()
        self._places: dict[Place, int] = {}
        self._parts: list[pl.DataFrame] = []

    def add(self, place: Place, subjects: pl.Series, before: pl.Series, after: pl.Series, form: str) -> None:
        """Add cells of a column, each with its subject (String).

        `form`: how texts write their dates. A cell that was no date, or is empty now, has no distance.
        """
        moved = _moments(after, form) - _moments(before, form)
        self._add(place, subjects, moved)

    def add_texts(self, place: Place, subjects: pl.Series, before: pl.Series, after: pl.Series) -> None:
        """Add texts. Their dates are compared pairwise where both texts have the same number of dates.

        Only texts whose dates can be read in one order of day and month count.
        """
        rows: list[int] = []
        moved: list[int] = []
        dated = (may_have_dates(before) | before.str.contains(REMOVED, literal=True)) & after.is_not_null()
        some = dated.fill_null(False).arg_true()
        for row, old, new in zip(some, before.gather(some), after.gather(some), strict=True):
            days = list(_days_between(old, new))
            rows += [row] * len(days)
            moved += [day * _DAY for day in days]
        self._add(place, subjects.gather(rows), pl.Series(moved, dtype=pl.Int64))

    def _add(self, place: Place, subjects: pl.Series, moved: pl.Series) -> None:
        with self._lock:
            column = self._places.setdefault(place, len(self._places))
        frame = pl.DataFrame({"subject": subjects.hash(self._seed), "moved": moved.cast(pl.Int64)}).drop_nulls()
        counted = frame.group_by("subject", "moved").agg(pl.len().cast(pl.UInt32).alias("cells"))
        part = counted.select(pl.lit(column, dtype=pl.UInt32).alias("column"), *list(_SCHEMA)[1:])
        with self._lock:
            self._parts.append(part)
            if sum(map(len, self._parts[1:])) > max(_PENDING, len(self._parts[0])):
                self._parts = [_together(self._parts)]

    def results(self) -> list[tuple[Place, int, int]]:
        """Return, for each column, how many dates were checked and how many moved by another distance.

        The distance expected is the one by which most dates of the same subject moved.
        """
        all_of = _together(self._parts)
        most = (
            all_of.group_by("subject", "moved")
            .agg(pl.col("cells").sum().alias("n"))
            .sort("n", "moved", descending=[True, False])
            .group_by("subject", maintain_order=True)
            .agg(pl.col("moved").first().alias("usual"))
        )
        apart = (
            all_of.join(most, on="subject")
            .group_by("column")
            .agg(
                pl.col("cells").sum().alias("looked"),
                pl.col("cells").filter(pl.col("moved") != pl.col("usual")).sum().alias("broken"),
            )
        )
        counts = {column: (looked, broken) for column, looked, broken in apart.rows()}
        return [(place, *counts.get(column, (0, 0))) for place, column in sorted(self._places.items(), key=str)]


_DAY: Final = 86_400_000_000
_REMOVED: Final = re.compile(re.escape(REMOVED))


def _days_between(old: str, new: str) -> Iterator[int]:
    """By how many days each date of a text moved; dates that could not be moved read `REMOVED`."""
    was = _with_removed(old, "mixed")
    if not was:
        return
    by_day = _with_removed(new, "dmy")
    if len(by_day) != len(was):
        return
    by_month = [] if all(found is None or found.day_first for found in was) else _with_removed(new, "mdy")
    for n, found in enumerate(was):
        same = (by_day if found is None or found.day_first else by_month)[n]
        if found is not None and same is not None and found.day is not None and same.day is not None:
            yield (same.day - found.day).days


def _with_removed(text: str, order: Order, by_others: bool = False) -> list[WrittenDate | None]:
    found: list[tuple[int, WrittenDate | None]] = [(d.start, d) for d in dates_in(text, order, by_others)]
    found += [(match.start(), None) for match in _REMOVED.finditer(text)]
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


def _moments(cells: pl.Series, form: str) -> pl.Series:
    """Microseconds by the wall clock (Int64); null for what is no date."""
    if isinstance(cells.dtype, pl.Datetime):
        return cells.dt.replace_time_zone(None).dt.cast_time_unit("us").to_physical()
    if cells.dtype == pl.String:
        cells = date_text.read(cells, form)["date"]
    if cells.dtype != pl.Date:
        return pl.Series([None] * len(cells), dtype=pl.Int64)
    return cells.to_physical().cast(pl.Int64) * _DAY


def _together(parts: list[pl.DataFrame]) -> pl.DataFrame:
    whole = pl.concat([pl.DataFrame(schema=_SCHEMA), *parts])
    return whole.group_by("column", "subject", "moved").agg(pl.col("cells").sum())
