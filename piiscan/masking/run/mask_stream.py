"""Masking a dump on its way through a pipe, by plans of which every row can be masked by itself."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING, Final, Literal

import polars as pl

from piiscan.core.errors import TableRefusal, UsageError
from piiscan.core.types import Batch, TableInfo
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Changed, Column
from piiscan.io.write.dump_stream import Sink, Streamed, stream
from piiscan.masking.apply.planned_cells import as_planned
from piiscan.masking.apply.repeats import Documents
from piiscan.masking.apply.table_masker import UNTOUCHED, TableMasker
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan
from piiscan.masking.run.copied_tables import no_identifier
from piiscan.masking.run.match_plan import check_names, find, fitted, same_lists
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import printable_names

if TYPE_CHECKING:
    from piiscan.core.keys import Key

_OF_PEOPLE: Final = ("persona", "surrogate", "spans", "code")
"""Operators that go by what is known of people in all tables, or by a vault that is written at the end."""


def mask_stream(
    source: IO[bytes],
    out: Sink,
    plan: Plan,
    key: Key | None,
    rules: RuleSet,
    read: ReadOptions,
    new_columns: Literal["error", "suppress"] = "error",
) -> Streamed:
    """Mask a dump part by part. Nothing is verified, and what is written before an error stays written.

    Raises `UsageError` for a plan that needs another pass, before anything is read or written; later for one that
    doesn't fit, and for columns with so few values that equal masks reveal them; and `ReadError`.
    """
    same_lists(plan)
    check_streams(plan)
    maskers: list[TableMasker] = []
    documents = Documents()

    def change(info: TableInfo) -> _Change:
        shown = printable_names.printable(info, rules)
        check_names(info, shown)
        table = fitted(find(plan, shown), shown, new_columns)
        made = _Change(TableMasker(table, plan.spans, key, document=documents.of(info)), shown)
        maskers.append(made.masker)
        return made

    name = source_of(plan)
    done = stream(source, out, name, read, change, partial(no_identifier, rules=rules))
    for masker in maskers:
        masker.finish()
        masker.check_frequencies()
    return done


def source_of(plan: Plan) -> str:
    """What the plan calls the one dump that it is for. Raises `UsageError`."""
    sources = {table.source for table in plan.tables}
    if len(sources) != 1:
        raise UsageError("--stream takes the plan of one dump: make it with piiscan plan DUMP -o PLAN.toml")
    return sources.pop()


def check_streams(plan: Plan) -> None:
    """Raises `UsageError` for a plan of which an operator has to see other rows before it masks one."""
    for table in plan.tables:
        if table.drop_rows:
            raise UsageError(f"{_place(table)}: rows of a dump can't be left out; take drop_rows out of the plan")
        for action, label in zip(table.columns, labels([a.name for a in table.columns]), strict=True):
            if action.operator not in UNTOUCHED and (why := _needs(table, action, label)):
                raise UsageError(
                    f"{_place(table)}: column {label}: {action.operator} {why}, and --stream masks each row when it "
                    "comes; leave out --stream, or give the column another operator, such as fpe, hash or suppress"
                )


def _needs(table: TablePlan, action: Action, label: str) -> str:
    """Return what an operator needs besides the current row; nothing for most."""
    from piiscan.masking.operators import operator_registry

    if action.operator in _OF_PEOPLE:
        return "goes by what is known of people in all rows"
    operator = operator_registry.make(action.operator, action.params)
    if operator.needs_column(action.dtype):
        return "has to see the whole column first"
    if action.subject and operator.needs:
        return "goes by whom a row is about, which all rows tell together"
    return ""


def _place(table: TablePlan) -> str:
    return table.source if table.table is None else f"{table.source}, {table.table}"


class _Change:
    """One table on its way."""

    def __init__(self, masker: TableMasker, shown: TableInfo) -> None:
        self.masker = masker
        self.columns = tuple(Column(field, origin, same) for origin, field, same in masker.fields(shown.fields))
        self._rows = 0

    def apply(self, batch: Batch) -> Changed:
        try:
            frame = as_planned(batch.frame, self.masker.plan)
            masked = self.masker.apply(frame, self._rows)
        except UsageError as error:
            raise TableRefusal(str(error)) from None
        self._rows += len(frame)
        places = ((place, column) for place, column in enumerate(self.columns) if not column.same)
        return Changed(pl.DataFrame([masked.columns[c.origin].alias(str(place)) for place, c in places]), masked.kept)
