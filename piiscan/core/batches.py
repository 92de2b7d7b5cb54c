"""Frames cut into batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

BATCH_BYTES = 1 << 26
"""About how large a batch is at most."""


def sliced(frame: pl.DataFrame, rows: int) -> Iterator[pl.DataFrame]:
    """A frame in batches of at most `rows` rows and about `BATCH_BYTES`, each in one chunk of memory."""
    rows = max(1, min(rows, BATCH_BYTES * frame.height // max(1, int(frame.estimated_size()))))
    for start in range(0, frame.height, rows):
        yield frame.slice(start, rows).rechunk()
