"""Gathers what in-memory tables hold about people, so that all texts can be searched for it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from piiscan.masking.apply.masks_ahead import MaskedRows
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.known.gathering import Gathering
from piiscan.masking.known.known_values import KnownValues, has_texts
from piiscan.masking.known.row_keys import JoiningKeys
from piiscan.masking.plan.plan_types import Plan, TablePlan

if TYPE_CHECKING:
    from piiscan.core.keys import Key
    from piiscan.masking.apply.subject_table import SubjectTable


def gathered(
    tables: Sequence[tuple[TablePlan, pl.DataFrame]],
    plan: Plan,
    key: Key | None,
    people: SubjectTable | None,
    joining: JoiningKeys | None = None,
) -> KnownValues | None:
    """The identifiers of whole tables; None where none has a text that is masked."""
    if not any(has_texts(table) for table, _ in tables):
        return None
    gathering = Gathering(replace(plan, tables=tuple(table for table, _ in tables)), joining)
    for table, frame in tables:
        if gathering.columns(table) or has_texts(table):
            masker = TableMasker(table, plan.spans, key, people)
            if asks_to_fit(gathering, masker):
                masker.fit(masker.inspect_columns(frame))
            add_rows(gathering, masker, table, frame, 0)
    return gathering.finished()


def asks_to_fit(gathering: Gathering, masker: TableMasker) -> bool:
    """Whether the masks of a column whose values are looked for depend on the whole column."""
    known = {a.index for a in gathering.columns(masker.plan)}
    return any(column.index in known for column in masker.whole_columns)


def add_rows(
    gathering: Gathering,
    masker: TableMasker,
    table: TablePlan,
    frame: pl.DataFrame,
    first: int,
    executor: Executor | None = None,
) -> MaskedRows:
    """Some rows of a table, from row `first` on, with the masks that its columns get.

    Where all masks of a column were made, they are given back.
    """
    columns = [a.index for a in gathering.columns(table)]
    countries = {i: found for i in columns if (found := masker.columns[i].countries(frame)) is not None}
    makers = {
        action.index: maker
        for action in gathering.columns(table)
        if (maker := masker.maker(action.index, frame, first)) is not None and gathering.asks_for_few(action, maker)
    }
    made = MaskedRows(first, frame, masker.masks([i for i in columns if i not in makers], frame, first, executor))
    gathering.add(table, frame, made.masks, first, countries, makers)
    return made
