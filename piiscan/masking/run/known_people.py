"""What the tables of a run hold of people, gathered before any of them is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from piiscan.core.errors import ReadError
from piiscan.core.memory import give_back
from piiscan.core.types import NotScanned
from piiscan.io.read_options import ReadOptions
from piiscan.masking.apply.known_people import add_rows, asks_to_fit
from piiscan.masking.apply.subject_table import SubjectTable
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.known.gathering import Gathering
from piiscan.masking.known.known_values import KnownValues, has_texts
from piiscan.masking.plan.plan_types import Plan
from piiscan.masking.run.match_plan import find, fitted, tables_below
from piiscan.rules.definitions import RuleSet

if TYPE_CHECKING:
    from piiscan.core.keys import Key
    from piiscan.core.types import Table

_TOGETHER: Final = 1 << 16
"""Rows that are worked on together."""


def known_values(
    source: Path,
    root: Path,
    plan: Plan,
    key: Key | None,
    rules: RuleSet,
    read: ReadOptions,
    new_columns: str,
    people: SubjectTable | None,
) -> KnownValues | None:
    """The identifiers of all tables below `source`, for its texts; None where no text is masked. Reads all tables that
    hold any once more. Raises `UsageError`."""
    if not any(has_texts(t) for t in plan.tables):
        return None
    gathering = Gathering(plan)
    for item in tables_below(source, root, rules, read):
        if isinstance(item, NotScanned):
            continue
        found, shown = item
        table = fitted(find(plan, shown), shown, new_columns)
        if not gathering.columns(table) and not has_texts(table):
            continue
        masker = TableMasker(table, plan.spans, key, people)
        with suppress(ReadError):  # such a file is left out when it is masked, which says why
            if asks_to_fit(gathering, masker):
                masker.fit(pl.concat([masker.inspect_columns(batch.frame) for batch in found.batches()]))
            for frame, first in _slabs(found):
                add_rows(gathering, masker, table, frame, first)
    known = gathering.finished()
    del gathering
    give_back()
    return known


def _slabs(table: Table) -> Iterator[tuple[pl.DataFrame, int]]:
    """Batches put together, with the number of each one's first row."""
    waiting: list[pl.DataFrame] = []
    first = rows = 0
    for batch in table.batches():
        waiting.append(batch.frame)
        rows += len(batch.frame)
        if rows >= _TOGETHER:
            yield pl.concat(waiting), first
            first, rows, waiting = first + rows, 0, []
    if rows:
        yield pl.concat(waiting), first
