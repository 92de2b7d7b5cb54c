"""Operators see each value once, and no empty cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray


def filled(cells: pl.Series) -> pl.Series:
    """Replace empty texts by nulls.

    A CSV file has no other nulls, and a mask of an empty text would turn it into a value.
    """
    if cells.dtype != pl.String or not (blank := cells == "").any():
        return cells
    return cells.zip_with(~blank.fill_null(False), pl.Series([None], dtype=pl.String))


def flat(cells: pl.Series) -> pl.Series:
    """The elements of lists, however deep, each as a cell; other cells as they are."""
    while isinstance(cells.dtype, pl.List | pl.Array):
        cells = cells.explode()
    return cells


def elements_of(cells: pl.Series) -> NDArray[np.int64]:
    """The row number of each element that `on_elements` passes on, however deep the lists are nested."""
    row = np.arange(len(cells))
    while isinstance(cells.dtype, pl.List | pl.Array):
        if isinstance(cells.dtype, pl.Array):
            cells = cells.cast(pl.List(cells.dtype.inner))
        lengths = cells.list.len().fill_null(0)
        has = lengths > 0
        row = np.repeat(row, lengths.to_numpy())
        cells = cells.filter(has).explode() if has.any() else pl.Series([], dtype=pl.String)
    return row


def on_elements(cells: pl.Series, mask: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Apply `mask` to the elements of lists and put the results back into lists of the same lengths.

    Elements are passed as String, in their order, nulls included. Cells that are not lists are masked as they are.
    """
    if isinstance(cells.dtype, pl.Array):
        cells = cells.cast(pl.List(cells.dtype.inner))
    if not isinstance(cells.dtype, pl.List):
        return mask(cells.cast(pl.String))
    lengths = cells.list.len()
    has = (lengths > 0).fill_null(False)
    masks = on_elements(cells.filter(has).explode() if has.any() else pl.Series([], dtype=cells.dtype.inner), mask)
    rows = pl.int_range(len(cells), dtype=pl.Int64, eager=True).alias("row")
    kept = lengths.filter(has)
    made = pl.DataFrame({"row": rows.filter(has).repeat_by(kept).explode(), "mask": masks}) if len(kept) else None
    empty = pl.Series("mask", [None if n is None else [] for n in lengths.to_list()], dtype=pl.List(masks.dtype))
    if made is None:
        return empty.alias(cells.name)
    lists = made.group_by("row", maintain_order=True).agg("mask")["mask"]
    at = has.cast(pl.Int64).cum_sum() - 1
    return lists.gather(at.clip(lower_bound=0)).zip_with(has, empty).alias(cells.name)


def one_to_one(before: pl.Series, after: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Cells and their masks, of lists the elements, one to one. Lists that are gone have masks that are null."""
    if not isinstance(before.dtype, pl.List | pl.Array):
        return before, after
    cells = flat(before)
    masks = flat(after) if isinstance(after.dtype, pl.List) else after
    return (cells, masks) if len(masks) == len(cells) else (cells, pl.Series([None] * len(cells), dtype=masks.dtype))


def with_blanks(masks: pl.Series, cells: pl.Series) -> pl.Series:
    """Masks of `filled(cells)`, with the empty texts that were there: they stay what they were."""
    if cells.dtype != pl.String or masks.dtype != pl.String or not (blank := cells == "").any():
        return masks
    return masks.zip_with(~blank.fill_null(False), pl.Series([""])).alias(masks.name)


def on_distinct(cells: pl.Series, mask: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Apply `mask` to the distinct values only; nulls stay null."""
    present = cells.drop_nulls()
    if not len(present):
        return mask(present).extend_constant(None, len(cells)) if len(cells) else mask(present)
    if present.n_unique() == len(present):
        masks = mask(present)
        if len(present) == len(cells):
            return masks.alias(cells.name)
        # Each cell takes the mask of the last present one up to it; those of nulls are taken away.
        at = cells.is_not_null().cum_sum().cast(pl.Int64) - 1
        return (
            masks.gather(at.clip(lower_bound=0))
            .zip_with(cells.is_not_null(), pl.Series([None], dtype=masks.dtype))
            .alias(cells.name)
        )
    values = present.unique()
    known = pl.DataFrame([values.alias("value"), mask(values).alias("mask")])
    joined = cells.to_frame("value").join(known, on="value", how="left", maintain_order="left")
    return joined["mask"].alias(cells.name)
