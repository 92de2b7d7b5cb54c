"""The subject table of files: who the people in them are, before any of them is masked."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from piiscan.core.errors import ReadError
from piiscan.core.memory import give_back
from piiscan.masking.apply.subject_table import SubjectTable
from piiscan.masking.apply.subjects_of_tables import Rows, subject_table
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.run.read_ahead import TablesAhead

if TYPE_CHECKING:
    from piiscan.core.keys import Key


def known_subjects(
    tables: TablesAhead, plan: Plan, key: Key | None, executor: Executor | None = None
) -> SubjectTable | None:
    """The people of all tables; None where the plan makes up nobody. Raises `UsageError`."""
    found = subject_table(plan, key, partial(rows_of, tables), executor)
    give_back()
    return found


def rows_of(tables: TablesAhead, wanted: Callable[[TablePlan], bool]) -> Rows:
    """The rows of the tables that are wanted. Raises `UsageError`."""
    for table in tables.tables(wanted):
        with suppress(ReadError):  # such a file is left out when it is masked, which says why
            for frame in table.frames():
                yield frame, table.plan
