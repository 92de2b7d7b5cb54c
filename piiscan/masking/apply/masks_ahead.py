"""Masks that were made before a table is masked, while its values were gathered for texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import polars as pl


class MaskedRows(NamedTuple):
    """Rows of a table from row `first` on, with the plan's columns, and the masks of some of them by index."""

    first: int
    frame: pl.DataFrame
    masks: Mapping[int, pl.Series]


def masks_of(ahead: Iterable[MaskedRows], frame: pl.DataFrame, first: int | None) -> dict[int, pl.Series]:
    """The masks that were made in advance for a batch beginning at row `first`.

    None of them is used unless these very rows, with all their cells, were masked.
    """
    if first is None:
        return {}
    for rows in ahead:
        at = first - rows.first
        if at >= 0 and at + len(frame) <= len(rows.frame):
            same = rows.frame.slice(at, len(frame)).equals(frame)
            return {i: masks.slice(at, len(frame)) for i, masks in rows.masks.items()} if same else {}
    return {}
