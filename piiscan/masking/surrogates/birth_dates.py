"""Dates of birth: another day within the years around the original's own."""

from __future__ import annotations

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
