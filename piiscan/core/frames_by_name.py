"""Frames of columns by their names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def frame_of(columns: Iterable[pl.Series]) -> pl.DataFrame:
    """A frame of columns with different names, one of which may be empty: of a list polars would call it `column_0`."""
    import polars as pl

    return pl.DataFrame({cells.name: cells for cells in columns})
