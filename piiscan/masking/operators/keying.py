"""What keyed operators share: the text of what they mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def as_text(values: pl.Series) -> pl.Series:
    """Return the one exact text of each value: numbers in decimal, dates and times in ISO 8601.

    Times with a time zone are written in UTC, since historical offsets have seconds, which ISO 8601 can't express.
    """
    import polars as pl

    if isinstance(values.dtype, pl.Datetime):
        values = values if values.dtype.time_zone is None else values.dt.convert_time_zone("UTC")
        return values.dt.to_string("iso:strict")
    return values if values.dtype == pl.String else values.cast(pl.String)


def spread(texts: pl.Series, mask: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Apply `mask` to the texts that aren't empty; an empty text, which says no more than a null, stays empty."""
    import polars as pl

    empty = texts == ""
    if not empty.any():
        return mask(texts).alias(texts.name)
    full = (~empty).arg_true()
    out = pl.Series(texts.name, [""], dtype=pl.String).new_from_index(0, len(texts))
    return out.scatter(full, mask(texts.gather(full)))
