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
    found: list[dict[int, pl.Series]] = []
    done = 0
    for rows in ahead if first is not None else ():  # one behind the other, and cut at other rows than the batches
        at = (first or 0) + done - rows.first
        size = min(len(frame) - done, len(rows.frame) - at)
        if at < 0 or size <= 0:
            continue
        if not rows.frame.slice(at, size).equals(frame.slice(done, size)):
            return {}
        found.append({i: masks.slice(at, size) for i, masks in rows.masks.items()})
        done += size
    if not found or done < len(frame):
        return {}
    if len(found) == 1:
        return found[0]
    return {i: pl.concat([part[i] for part in found]) for i in set.intersection(*map(set, found))}
