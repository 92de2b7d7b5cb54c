"""Counts the cells of a table: batches in, running sums out.

It uses the threads of one process for batches, or several processes for pieces.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, ParamSpec, Protocol, Self, TypeVar

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, Field, Table
from piiscan.core.worker_processes import Task, Turn, Turns
from piiscan.detection.matching.batch import Column, ColumnPart, column_summaries, column_summary, table_summary
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.matching.quiet_values import QuietValues
from piiscan.detection.summary.sample import values_of
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.io.content import Piece, Pieces, ReadTable, batches_of, next_piece

if TYPE_CHECKING:
    import polars as pl

P = ParamSpec("P")
R = TypeVar("R")

FEW_CELLS: Final = 50_000
"""Up to here the columns of a batch are scanned one after the other."""
FEW_ROWS: Final = 4096
"""Columns of no more rows are scanned in groups: one at a time they would take longer than their cells."""
GROUPED: Final = 32_768
"""Cells of a group, about."""
IN_FLIGHT: Final = 3
"""Batches read ahead of the one that is waited for."""
_FIRST: Final = 3
"""The part of the pieces to be begun, 1/3, that is begun at first: enough for others while this process does one."""
EXECUTORS: Final = 32
"""Threads for the rules of single columns; they wait for one another, never for more cores."""


class Threads:
    """So many threads for columns, and one each for the rules of single columns.

    With one, the calling thread does the columns itself.
    """

    def __init__(self, jobs: int) -> None:
        self.are_several = jobs > 1
        self.pool = ThreadPoolExecutor(jobs)
        self.executors = tuple(ThreadPoolExecutor(1) for _ in range(EXECUTORS))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for executor in (self.pool, *self.executors):
            executor.shutdown()


class PieceWork(NamedTuple):
    """A piece of a table to sum up, for any process.

    Its rows count from 0. `limits`, `row_limit`: of the samples of a part of the table, to which the sum will be added:
    what is above them is left out.
    """

    piece: Piece
    names: tuple[str | None, ...]
    limits: tuple[int, ...]
    row_limit: int
    quiet: tuple[QuietValues, ...]


class Helpers(Protocol):
    """Other processes, for the pieces of large tables."""

    def pieces_ahead(self, size: int) -> int:
        """How many pieces of a table of `size` bytes to begin before the first is done; 0 where nobody helps."""

    def submit(self, turn: Turn[Any], task: Task) -> None:
        """Have it done by one of them, when there is one free."""


def running_totals(
    table: Table,
    prefilter: Prefilter,
    quiet: Sequence[QuietValues],
    threads: Threads,
    helpers: Helpers | None = None,
) -> Iterator[TableSummary]:
    """The sum of all batches so far, after each.

    What was read before a reader failed counts; then its error is raised.
    """
    total = TableSummary.empty(len(table.info.fields))
    pieces = table.pieces if isinstance(table, ReadTable) else None
    if helpers is None or pieces is None or (ahead := helpers.pieces_ahead(pieces.size)) == 0:
        return _in_turn(table.batches(), table.info.fields, total, prefilter, quiet, threads)
    return _by_pieces(table, pieces, prefilter, quiet, threads, helpers, ahead)


def _by_pieces(
    table: Table,
    pieces: Pieces,
    prefilter: Prefilter,
    quiet: Sequence[QuietValues],
    threads: Threads,
    helpers: Helpers,
    ahead: int,
) -> Iterator[TableSummary]:
    """The same, by several processes. From the first piece that isn't regular on, this one reads alone."""
    fields = table.info.fields
    total = TableSummary.empty(len(fields))
    names = tuple(field.name for field in fields)
    turns: Turns[TableSummary | None] = Turns()
    cut = pieces.cut()
    done = 0
    try:
        # One after the other: cutting them takes time, in which nobody reads the first ones.
        while _fill(
            turns, cut, min(ahead, ahead // _FIRST + 2 * done), total, names, prefilter, quiet, threads, helpers
        ):
            if (part := turns.result()) is None:
                if not pieces.goes_on:
                    done, total = 0, TableSummary.empty(len(fields))
                break
            done += 1
            total = total + part.moved(total.rows)
            if pieces.tell is not None:
                pieces.tell(done)
            yield total
    finally:
        turns.give_up()
    # Also where all was read: what the reader has to say at its end.
    left = batches_of(pieces.rest(done, total.rows), total.rows, kind=table.info.format)
    yield from _in_turn(left, fields, total, prefilter, quiet, threads)


def _fill(
    turns: Turns[TableSummary | None],
    cut: Iterator[Piece],
    ahead: int,
    so_far: TableSummary,
    names: tuple[str | None, ...],
    prefilter: Prefilter,
    quiet: Sequence[QuietValues],
    threads: Threads,
    helpers: Helpers,
) -> bool:
    """Have up to `ahead` pieces begun. Whether any is."""
    while len(turns) < ahead and (piece := next_piece(cut)) is not None:
        limits = tuple(column.sample.limit for column in so_far.columns)
        work = PieceWork(piece, names, limits, so_far.row_sample.limit, tuple(quiet))
        turn: Turn[TableSummary | None] = Turn(partial(sum_piece, work, prefilter, threads))
        helpers.submit(turn, Task("piiscan.scanning.worker:sum_piece", (work,)))
        turns.add(turn)
    return len(turns) > 0


def sum_piece(work: PieceWork, prefilter: Prefilter, threads: Threads) -> TableSummary | None:
    """The summary of a piece; None where it isn't regular, and the table's own reader has to read it."""
    fields = [Field(name) for name in work.names]
    total = TableSummary.empty(len(fields))
    try:
        if (frames := work.piece()) is None:
            return None
        for batch in batches_of(frames, 0):
            limits = [min(limit, column.sample.limit) for limit, column in zip(work.limits, total.columns, strict=True)]
            columns = _summarised(batch, fields, limits, prefilter, work.quiet, threads)
            row_limit = min(work.row_limit, total.row_sample.limit)
            total = total + table_summary(batch, [one for future in columns for one in future.result()], row_limit)
    except ReadError:  # which the table's reader will put in its own words
        return None
    return total


def _in_turn(
    batches: Iterator[Batch],
    fields: Sequence[Field],
    total: TableSummary,
    prefilter: Prefilter,
    quiet: Sequence[QuietValues],
    threads: Threads,
) -> Iterator[TableSummary]:
    """A few batches are in flight while the next one is read."""
    pending: deque[tuple[Batch, list[Future[list[Column]]]]] = deque()
    row = _LongRow()
    held: deque[int] = deque()
    most = shares.in_flight()
    failure: Exception | None = None
    try:
        for batch in batches:
            limits = [c.sample.limit for c in total.columns]
            held.append(int(batch.frame.estimated_size()))
            while pending and sum(held) > most:
                held.popleft()
                total = total + row.once(*_finished(*pending.popleft(), total))
                yield total
            pending.append((batch, _summarised(batch, fields, limits, prefilter, quiet, threads)))
            if len(pending) >= IN_FLIGHT:
                held.popleft()
                total = total + row.once(*_finished(*pending.popleft(), total))
                yield total
    except Exception as error:
        failure = error
    except BaseException:
        for _, columns in pending:
            for column in columns:
                column.cancel()
        raise
    while pending:
        total = total + row.once(*_finished(*pending.popleft(), total))
        yield total
    if failure is not None:
        raise failure


def sums_of(
    batches: Sequence[tuple[Batch, Sequence[Field], Sequence[QuietValues]]], prefilter: Prefilter, threads: Threads
) -> list[TableSummary]:
    """The sums of several tables of one batch of few rows each, whose cells meet the rules together.

    What samples hold is fetched from the batches when asked for: who keeps a sum calls its `fetch`.
    """
    parts = [
        ColumnPart(column, field.name, batch.offset, None, values_of(len(fields)), own)
        for batch, fields, quiet in batches
        for column, field, own in zip(batch.frame.get_columns(), fields, quiet, strict=True)
    ]
    columns = iter(column_summaries(parts, prefilter, threads.executors[0], on_demand=True))
    return [table_summary(batch, [next(columns) for _ in fields], None, on_demand=True) for batch, fields, _ in batches]


def _at_once(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
    """What a pool's `submit` gives, for work that isn't worth a second thread (each compiles regexes of its own)."""
    done: Future[R] = Future()
    done.set_result(work(*args, **kwargs))
    return done


def _summarised(
    batch: Batch,
    fields: Sequence[Field],
    limits: Sequence[int],
    prefilter: Prefilter,
    quiet: Sequence[QuietValues],
    threads: Threads,
) -> list[Future[list[Column]]]:
    """The summaries of a batch's columns, of one or of a group of them in each, on their way."""
    rows, columns = len(batch.frame), batch.frame.get_columns()
    k = values_of(len(columns))
    many = rows * len(columns) > FEW_CELLS
    executors = threads.executors
    submit = threads.pool.submit if many and threads.are_several else _at_once
    if rows > FEW_ROWS or len(columns) == 1:
        own = [executors[i % EXECUTORS if many else 0] for i in range(len(columns))]
        return [
            submit(_alone, column, fields[i].name, prefilter, batch.offset, limits[i], own[i], k, quiet[i])
            for i, column in enumerate(columns)
        ]
    size = GROUPED // max(1, rows)
    parts = [
        ColumnPart(column, fields[i].name, batch.offset, limits[i], k, quiet[i]) for i, column in enumerate(columns)
    ]
    return [
        submit(column_summaries, parts[start : start + size], prefilter, executors[i % EXECUTORS if many else 0])
        for i, start in enumerate(range(0, len(columns), size))
    ]


def _alone(
    column: pl.Series,
    name: str | None,
    prefilter: Prefilter,
    offset: int | None,
    limit: int,
    executor: Executor,
    k: int,
    quiet: QuietValues,
) -> list[Column]:
    return [column_summary(column, name, prefilter, offset, limit, executor, k, quiet)]


def _finished(batch: Batch, columns: list[Future[list[Column]]], so_far: TableSummary) -> tuple[Batch, TableSummary]:
    found = [one for future in columns for one in future.result()]
    return batch, table_summary(batch, found, so_far.row_sample.limit)


class _LongRow:
    """What was counted in the pieces of a row that goes on from batch to batch. What a rule finds in it counts once."""

    def __init__(self) -> None:
        self._so_far: TableSummary | None = None

    def once(self, batch: Batch, found: TableSummary) -> TableSummary:
        """The summary of the next batch without what was counted in the same row."""
        before, own = self._so_far, found
        if before is not None:
            pairs = zip(found.columns, before.columns, strict=True)
            own = replace(found, columns=tuple(column.not_again(seen) for column, seen in pairs))
        self._so_far = None if not batch.goes_on else own if before is None else before + own
        return own
