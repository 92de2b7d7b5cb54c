"""Frames cut into batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from piiscan.core import shares

if TYPE_CHECKING:
    import polars as pl


def sliced(frame: pl.DataFrame, rows: int) -> Iterator[pl.DataFrame]:
    """Yield a frame in batches of at most `rows` rows and about the bytes of a batch, each in one chunk of memory.

    They have about as many rows each: few rows behind many would take the way of small tables, which is slower.
    """
    size, count = shares.batch(), -(-frame.height // rows)
    stops = [frame.height * i // count for i in range(count + 1)] if count else []
    for start, stop in pairwise(stops):
        yield from _halved(frame.slice(start, stop - start), size)


def _halved(frame: pl.DataFrame, size: int) -> Iterator[pl.DataFrame]:
    """A frame as it is where it takes about `size` bytes or has one row; else its halves, in the same way."""
    if frame.height < 2 or frame.estimated_size() <= 2 * size:
        yield frame.rechunk()
        return
    half = frame.height // 2
    yield from _halved(frame.slice(0, half), size)
    yield from _halved(frame.slice(half), size)
