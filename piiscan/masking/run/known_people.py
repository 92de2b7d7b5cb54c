"""Gathers what the tables of a run hold about people, before any of them is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import polars as pl

from piiscan.core.errors import ReadError
from piiscan.core.memory import give_back
from piiscan.masking.apply import small_columns
from piiscan.masking.apply.distinct_values import flat
from piiscan.masking.apply.known_people import add_rows, asks_to_fit
from piiscan.masking.apply.subject_table import SubjectTable
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.known.gathering import Gathering
from piiscan.masking.known.known_values import KnownValues, has_texts
from piiscan.masking.known.row_keys import JoiningKeys
from piiscan.masking.known.text_hashes import SeenTexts
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.run.read_ahead import TablesAhead

if TYPE_CHECKING:
    from piiscan.core.keys import Key

_TOGETHER: Final = 1 << 15
"""Rows that are worked on together."""


def known_values(
    tables: TablesAhead,
    plan: Plan,
    key: Key | None,
    people: SubjectTable | None,
    joining: JoiningKeys,
    texts: SeenTexts,
    executor: Executor | None = None,
) -> KnownValues | None:
    """The identifiers of all tables, for their texts; None where no text is masked. Raises `UsageError`.

    `texts`: all of them, as `look_at_texts` has seen them.
    """
    if not any(has_texts(t) for t in plan.tables):
        return None
    known = _gathered(Gathering(plan, joining, texts), tables, plan, key, people, executor)
    give_back()
    return known


def look_at_texts(tables: TablesAhead, plan: Plan, texts: SeenTexts) -> None:
    """Show all texts that are masked. Raises `UsageError`."""
    if not any(has_texts(t) for t in plan.tables):
        return
    for table in tables.tables(has_texts):
        with suppress(ReadError):
            for frame in table.frames():
                for cells in texts_of(table.plan, frame):
                    texts.add(cells)


def texts_of(table: TablePlan, frame: pl.DataFrame) -> Iterator[pl.Series]:
    """The texts of some rows of a table that are masked (String), by columns, each once."""
    masked = (flat(frame[str(a.index)]).cast(pl.String) for a in table.columns if a.operator == "spans")
    for group in small_columns.groups((None, cells) for cells in masked):
        yield small_columns.stacked([cells for _, cells in group]).drop_nulls().unique()


def _gathered(
    gathering: Gathering,
    tables: TablesAhead,
    plan: Plan,
    key: Key | None,
    people: SubjectTable | None,
    executor: Executor | None,
) -> KnownValues:
    for table in tables.tables(lambda table: bool(gathering.columns(table)) or has_texts(table)):
        masker = TableMasker(table.plan, plan.spans, key, people)
        with suppress(ReadError):  # such a file is left out when it is masked, which says why
            if asks_to_fit(gathering, masker):
                masker.fit(pl.concat([masker.inspect_columns(frame) for frame in table.frames()]))
            for frame, first in _slabs(table.frames()):
                table.keep(add_rows(gathering, masker, table.plan, frame, first, executor))
                give_back()
    return gathering.finished()


def _slabs(frames: Iterable[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, int]]:
    """Batches put together, with the number of each one's first row."""
    waiting: list[pl.DataFrame] = []
    first = rows = 0
    for frame in frames:
        waiting.append(frame)
        rows += len(frame)
        if rows >= _TOGETHER:
            yield pl.concat(waiting), first
            first, rows, waiting = first + rows, 0, []
    if rows:
        yield pl.concat(waiting), first
