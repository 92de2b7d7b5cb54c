"""The subject table of files: who the people in them are, before any of them is masked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from piiscan.core.errors import ReadError
from piiscan.core.memory import give_back
from piiscan.core.types import NotScanned
from piiscan.io.read_options import ReadOptions
from piiscan.masking.apply.subject_table import SubjectTable
from piiscan.masking.apply.subjects_of_tables import Rows, subject_table
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.run.match_plan import find, fitted, tables_below
from piiscan.rules.definitions import RuleSet

if TYPE_CHECKING:
    from piiscan.core.keys import Key


def known_subjects(
    source: Path, root: Path, plan: Plan, key: Key | None, rules: RuleSet, read: ReadOptions, new_columns: str
) -> SubjectTable | None:
    """The people of all tables below `source`; None where the plan makes up nobody. Raises `UsageError`."""

    def batches(wanted: Callable[[TablePlan], bool]) -> Rows:
        for item in tables_below(source, root, rules, read):
            if isinstance(item, NotScanned):
                continue
            found, shown = item
            table = fitted(find(plan, shown), shown, new_columns)
            if wanted(table):
                with suppress(ReadError):  # such a file is left out when it is masked, which says why
                    for batch in found.batches():
                        yield batch.frame, table

    found = subject_table(plan, key, batches)
    give_back()
    return found
