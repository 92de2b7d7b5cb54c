"""Dates of birth: another day within the years around the original's own, or one that gives an age."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import numpy as np

from piiscan.masking.surrogates import keyed_choices

if TYPE_CHECKING:
    import polars as pl


def moved(dates: pl.Series, draw: keyed_choices.Bits, years: int = 0) -> pl.Series:
    """Another day for each date (Date, nulls stay), never the same day.

    Drawn evenly from January of `years` years before to December of `years` after.
    """
    import polars as pl

    start = pl.date(pl.col("d").dt.year() - years, 1, 1)
    days = (pl.date(pl.col("d").dt.year() + years, 12, 31) - start).dt.total_days() + 1
    frame = dates.to_frame("d").select(start.alias("s"), n=days, at=(pl.col("d") - start).dt.total_days())
    n = frame["n"].fill_null(365).to_numpy().astype(np.uint64)
    step = keyed_choices.below(draw, n - np.uint64(1)) + np.uint64(1)
    at = (frame["at"].fill_null(0).to_numpy().astype(np.uint64) + step) % n
    later = pl.Series("at", at.astype(np.int64))
    return (
        frame.with_columns(later)
        .select((pl.col("s") + pl.duration(days="at")).cast(pl.Date).alias(dates.name))
        .to_series()
    )


def of_ages(ages: pl.DataFrame, draw: keyed_choices.Bits, on: dt.date) -> pl.Series:
    """A day for each row of `low` and `high` on which somebody was born who is so many years old on a day.

    Drawn evenly from all such days; null where an age is.
    """
    import polars as pl

    years = {int(y): _before(on, int(y)) for column in ages for y in column.drop_nulls().unique().to_list()}
    more = {year: _before(on, year + 1) + dt.timedelta(1) for year in years}
    last = ages["low"].replace_strict(years, default=None, return_dtype=pl.Date)
    first = ages["high"].replace_strict(more, default=None, return_dtype=pl.Date)
    days = ((last - first).dt.total_days() + 1).fill_null(1).to_numpy().astype(np.uint64)
    later = keyed_choices.below(draw, days).astype(np.int64)
    frame = pl.DataFrame({"first": first, "later": later})
    return frame.select((pl.col("first") + pl.duration(days="later")).cast(pl.Date).alias("born")).to_series()


def _before(day: dt.date, years: int) -> dt.date:
    """The same day of an earlier year; of 29 February, the 28th."""
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)
