"""Dates of birth: another day within the years around the original's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from piiscan.surrogates import draws

if TYPE_CHECKING:
    import polars as pl

FORMATS = (
    "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d-%m-%Y", "%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%d %b %Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y",
    "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
)  # fmt: skip


def date_format(values: Iterable[str]) -> str | None:
    """How a column writes its dates: the format that reads most of them, None where none reads half; for a plan.

    >>> date_format(["31.12.1999", "1.2.2000"]), date_format(["12/31/1999", "01/02/2000"]), date_format(["soon"])
    ('%d.%m.%Y', '%m/%d/%Y', None)
    """
    import polars as pl

    column = pl.Series([v.strip() for v in values if v and v.strip()], dtype=pl.String)
    if not len(column):
        return None
    best = max(FORMATS, key=lambda f: len(column) - read(column, f).null_count())
    return best if read(column, best).null_count() * 2 < len(column) else None


def read(texts: pl.Series, form: str) -> pl.Series:
    """Dates out of texts; null where the text isn't one."""
    import polars as pl

    if "%H" in form:
        return texts.str.strip_chars().str.to_datetime(form, strict=False, time_unit="us").cast(pl.Date)
    return texts.str.strip_chars().str.to_date(form, strict=False)


def moved(dates: pl.Series, draw: draws.Bits, years: int = 0) -> pl.Series:
    """Another day for each date (Date, nulls stay): evenly one of the days from January of `years` years before to December of `years` after,
    but never the same day."""
    import polars as pl

    start = pl.date(pl.col("d").dt.year() - years, 1, 1)
    days = (pl.date(pl.col("d").dt.year() + years, 12, 31) - start).dt.total_days() + 1
    frame = dates.to_frame("d").select(start.alias("s"), n=days, at=(pl.col("d") - start).dt.total_days())
    n = frame["n"].fill_null(365).to_numpy().astype(np.uint64)
    step = draws.below(draw, n - np.uint64(1)) + np.uint64(1)
    at = (frame["at"].fill_null(0).to_numpy().astype(np.uint64) + step) % n
    later = pl.Series("at", at.astype(np.int64))
    return frame.with_columns(later).select((pl.col("s") + pl.duration(days="at")).cast(pl.Date).alias(dates.name)).to_series()
