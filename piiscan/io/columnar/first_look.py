"""A small table that was read for a look at its first rows need not be read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

MOST: Final = 1 << 20
"""Bytes of a table that is kept, in memory."""


class FirstLook:
    """The frames of a table that were read for a look at it, kept for the next reader if they are all of its `rows`."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._kept: list[pl.DataFrame] = []

    def kept(self, frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """Yield the first frames and keep them."""
        every: list[pl.DataFrame] = []
        for frame in frames:
            every.append(frame)
            yield frame
        are_all = sum(frame.height for frame in every) == self._rows
        if are_all and sum(int(frame.estimated_size()) for frame in every) <= MOST:
            self._kept = every

    @property
    def whole(self) -> pl.DataFrame | None:
        """All rows, where they were kept in one frame."""
        return self._kept[0] if len(self._kept) == 1 else None

    def again(self, start: int, read: Callable[[int], Iterator[pl.DataFrame]]) -> Iterator[pl.DataFrame]:
        """The frames that were kept, once, where they are asked for from the first row on; else those that are read."""
        kept, self._kept = self._kept, []
        return iter(kept) if kept and not start else read(start)
