"""Cells as a plan's operators mask them, where a table has other types than the plan says."""

from __future__ import annotations

from typing import Final

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, TablePlan

_EXACT: Final = 2**53
"""Below it, every whole number has a float of its own."""


def as_planned(cells: pl.DataFrame, table: TablePlan) -> pl.DataFrame:
    """A batch with texts in the place of cells of another type, in the columns whose operator masks texts alone.

    Raises `UsageError` for lists in a column by which the plan tells people.
    """
    for i in sorted({i for s in table.subjects for i in s.source_columns}):
        if cells[str(i)].dtype.is_nested():
            raise UsageError(
                f"{table.source}: column {labels([a.name for a in table.columns])[i]} contains lists, and the "
                "plan identifies the one person of a row by it; explode the lists into rows, or make a new plan "
                "with `piiscan plan`"
            )
    texts = [
        _texts(cells[str(a.index)])
        for a in table.columns
        if a.cast and a.dtype == "string" and not cells[str(a.index)].dtype.is_nested()
    ]
    return cells.with_columns(texts) if texts else cells


def masks_as_planned(masks: pl.Series, action: Action) -> pl.Series:
    """Restore the type of masks that a file gives back: databases and JSON return numeric texts as numbers."""
    were_texts = action.cast is not None and action.dtype == "string"
    return _texts(masks) if were_texts and masks.dtype != pl.String and not masks.dtype.is_nested() else masks


def _texts(cells: pl.Series) -> pl.Series:
    """Whole numbers without a point, as a CSV file has them.

    Each cell by itself: equal cells are equal in any batch.
    """
    texts = cells.cast(pl.String)
    if not cells.dtype.is_float():
        return texts
    whole = ((cells % 1 == 0) & (cells.abs() < _EXACT)).fill_null(False)
    return cells.cast(pl.Int64, strict=False).cast(pl.String).zip_with(whole, texts)
