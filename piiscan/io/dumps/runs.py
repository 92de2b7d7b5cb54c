"""Read the rows of a dump from where they are, some runs at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Final

from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError
from piiscan.io.cells import long_values
from piiscan.io.dumps import cells
from piiscan.io.dumps.cells import Layout
from piiscan.io.dumps.survey import Run

if TYPE_CHECKING:
    import polars as pl

_TOGETHER: Final = 1 << 22
"""Bytes of short runs that are read at once."""


def together(runs: Sequence[Run]) -> list[tuple[Run, ...]]:
    """Return short runs that follow each other and are written alike together: each read costs some time."""
    out: list[tuple[Run, ...]] = []
    size = 0
    for run in runs:
        size += run.end - run.start
        last = out[-1][0] if out else None
        if run.kind != "insert" or last is None or (last.kind, last.words) != (run.kind, run.words) or size > _TOGETHER:
            out.append((run,))
            size = run.end - run.start
        else:
            out[-1] = (*out[-1], run)
    return out


def read_runs(path: str, some: Sequence[Run], layout: Layout, batch_rows: int) -> Iterator[pl.DataFrame] | None:
    """Return the rows of runs that are written alike, in any process.

    None where the table's own reader has to report what is wrong with them.
    """
    try:
        with open(path, "rb") as stream:
            frame = frame_of(stream, some, layout)
        return iter(list(long_values.without(batches(frame, batch_rows))))
    except ReadError:
        return None


def frame_of(stream: IO[bytes], some: Sequence[Run], layout: Layout) -> pl.DataFrame:
    """Return the cells of runs that are written alike. Raises `ReadError`."""
    return cells.frame_of(_read(stream, some), some[0].words, layout.of(some[0].kind))


def batches(frame: pl.DataFrame, batch_rows: int) -> Iterator[pl.DataFrame]:
    parts = max(1, -(-frame.height // batch_rows))
    yield from sliced(frame, max(1, -(-frame.height // parts)))


def _read(stream: IO[bytes], runs: Sequence[Run]) -> bytes:
    """Return the rows of runs as if statement followed statement."""
    parts = []
    for run in runs:
        stream.seek(run.start)
        parts.append(stream.read(run.end - run.start))
        if len(parts[-1]) < run.end - run.start:
            raise ReadError("changed while it was read; scan it again")
    return runs[0].words.join(parts)
