"""A small table that was read for a look at its first rows need not be read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

MOST: Final = 1 << 20
"""Bytes of a table that is kept, in memory."""


class FirstLook:
    """The frames of a table that were read for a look at it, kept for the next reader if they are all there is."""

    def __init__(self) -> None:
        self._kept: list[pl.DataFrame] = []

    def kept(self, frames: Iterator[pl.DataFrame], are_all: bool) -> Iterator[pl.DataFrame]:
        """The frames, on their way to whoever looks at them."""
        every: list[pl.DataFrame] = []
        for frame in frames:
            every.append(frame)
            yield frame
        if are_all and sum(int(frame.estimated_size()) for frame in every) <= MOST:
            self._kept = every

    def again(self, read: Callable[[], Iterator[pl.DataFrame]]) -> Iterator[pl.DataFrame]:
        """The frames that were kept, once; else those that are read."""
        kept, self._kept = self._kept, []
        return iter(kept) if kept else read()
