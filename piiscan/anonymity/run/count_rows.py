"""Counts the rows of a table by the cells of some columns; pieces of a large one are counted by several processes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

from piiscan.anonymity.histogram import Histogram
from piiscan.core.errors import ReadError
from piiscan.core.types import Table
from piiscan.core.worker_processes import Task, Turn, Turns
from piiscan.io.content import Piece, Pieces, ReadTable, batches_of, next_piece
from piiscan.io.printed_names import evident
from piiscan.scanning.crew import Crew
from piiscan.scanning.engine import Progress

if TYPE_CHECKING:
    import polars as pl


def count_rows(
    table: Table,
    columns: Sequence[int],
    progress: Progress | None = None,
    crew: Crew | None = None,
    watch: Callable[[int], None] | None = None,
) -> Histogram:
    """The histogram of a table. `watch`: see `Histogram.total`."""
    seen = _Seen(table.info.source, progress)
    pieces = table.pieces if isinstance(table, ReadTable) else None
    ahead = 0 if crew is None or pieces is None else crew.pieces_ahead(pieces.size)
    if crew is None or pieces is None or not ahead:
        return Histogram.total(_each(table, columns, seen), columns, watch)
    with closing(_by_pieces(pieces, columns, crew, ahead, seen)) as parts:
        first = Histogram.sum(parts, columns, watch)
    if seen.is_cut_short and not pieces.goes_on:
        return Histogram.total(_each(table, columns, _Seen(table.info.source, progress)), columns, watch)
    rest = batches_of(pieces.rest(seen.pieces, seen.rows), seen.rows, kind=table.info.format)
    return Histogram.total(chain([first], (Histogram.of(batch.frame, columns) for batch in rest)), columns, watch)


class _Seen:
    """How far counting has come; `is_cut_short`: a piece wasn't regular."""

    def __init__(self, source: str, progress: Progress | None) -> None:
        self._source, self._progress = source, progress
        self.rows = self.pieces = 0
        self.is_cut_short = False

    def add(self, rows: int) -> None:
        self.rows += rows
        if self._progress:
            self._progress(self._source, self.rows)


def _each(table: Table, columns: Sequence[int], seen: _Seen) -> Iterator[Histogram]:
    for batch in table.batches():
        _demand_single_values(batch.frame, table, columns)
        yield Histogram.of(batch.frame, columns)
        seen.add(len(batch.frame))


def _demand_single_values(frame: pl.DataFrame, table: Table, columns: Sequence[int]) -> None:
    """Raise `ReadError` for a column of lists; pieces, which are of delimited text, have none."""
    for i in columns:
        if frame[str(i)].dtype.is_nested():
            name = table.info.fields[i].name
            shown = f"number {i + 1}" if name is None or evident(name, None) else name
            raise ReadError(
                f"{table.info.source}: column {shown} contains lists, which can't be counted; convert it to text, or "
                "make a row of each element"
            )


def _by_pieces(pieces: Pieces, columns: Sequence[int], crew: Crew, ahead: int, seen: _Seen) -> Generator[Histogram]:
    """The histograms of pieces, up to the first that isn't regular."""
    turns: Turns[Histogram | None] = Turns()
    cut = pieces.cut()
    try:
        while True:
            while len(turns) < ahead and (piece := next_piece(cut)) is not None:
                task = Task(f"{__name__}:{of_piece.__name__}", (piece, tuple(columns)))
                turn: Turn[Histogram | None] = Turn(task.run)
                crew.submit(turn, task)
                turns.add(turn)
            if not turns:
                return
            if (part := turns.result()) is None:
                seen.is_cut_short = True
                return
            seen.pieces += 1
            if pieces.tell is not None:
                pieces.tell(seen.pieces)
            seen.add(int(part.rows.sum()))
            yield part
    finally:
        turns.give_up()


def of_piece(piece: Piece, columns: Sequence[int]) -> Histogram | None:
    """The histogram of a piece, by any process; None where it isn't regular."""
    try:
        if (frames := piece()) is None:
            return None
        return Histogram.sum((Histogram.of(batch.frame, columns) for batch in batches_of(frames, 0)), columns)
    except ReadError:  # which the table's reader will put in its own words
        return None
