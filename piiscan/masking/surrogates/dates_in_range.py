"""Dates within a given range: each original day becomes another day of it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.surrogates.keyed_functions import derived, prf

if TYPE_CHECKING:
    import polars as pl


def days(start: str, end: str) -> tuple[date, int]:
    """The first day of a range and how many it has.

    Raises `UsageError` for what is no day (as 1970-01-31), or fewer than two of them.
    """
    try:
        first, last = date.fromisoformat(start), date.fromisoformat(end)
    except ValueError:
        raise UsageError("surrogate date: it needs start and end, written as 1970-01-31") from None
    if last <= first:
        raise UsageError("surrogate date: end must be after start")
    return first, (last - first).days + 1


def mask(dates: pl.Series, key: Subkey, start: str, end: str) -> pl.Series:
    """Surrogates for dates (Date; nulls stay): drawn evenly from the range, never the day itself."""
    import polars as pl

    first, n = days(start, end)
    words = prf(derived(key, "date"), dates.dt.to_string("%Y-%m-%d").fill_null(""))
    at = pl.DataFrame({"d": dates}).select((pl.col("d") - first).dt.total_days().fill_null(-1))["d"].to_numpy()
    inside = (at >= 0) & (at < n)
    step = (words[:, 0] % np.uint64(n - 1) + np.uint64(1)).astype(np.int64)
    day = np.where(inside, (at + step) % n, (words[:, 1] % np.uint64(n)).astype(np.int64))
    drawn = (
        pl.DataFrame({"n": day})
        .select((pl.lit(first) + pl.duration(days="n")).cast(pl.Date).alias(dates.name))
        .to_series()
    )
    return drawn.zip_with(dates.is_not_null(), pl.Series([None], dtype=pl.Date))


def declared(dates: pl.Series, start: str, end: str) -> pl.Series:
    """Whether each date lies in the range; null is none."""
    first, n = days(start, end)
    last = date.fromordinal(first.toordinal() + n - 1)
    return dates.is_between(first, last).fill_null(False)
