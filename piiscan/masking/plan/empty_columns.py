"""Columns without values, of which a plan has only the header to tell what later data bring into them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Limits, TableReport
from piiscan.masking.plan.plan_types import Action, TablePlan
from piiscan.masking.plan.policy import Policy

_EMPTIED: Final = "values that come later are emptied until the plan is made anew"
_READ: Final = ("keep", "spans")


def emptied(
    made: TablePlan, report: TableReport, dates: Sequence[bool], limits: Sequence[Limits | None], policy: Policy
) -> TablePlan:
    """The plan of a table, in which nothing is kept of later values that the policy masks if the headers are right.

    No scan sees these values before they are masked. Columns that refer to others, which are masked as those are, stay
    so, and those of which a declared type takes no empty value. `dates`, `limits`: what is known of each column.
    """
    later = dict(_emptied(made, report, dates, limits, policy))
    return replace(made, columns=tuple(later.get(a.index, a) for a in made.columns)) if later else made


def _emptied(
    made: TablePlan, report: TableReport, dates: Sequence[bool], limits: Sequence[Limits | None], policy: Policy
) -> Iterator[tuple[int, Action]]:
    names = [a.name or "" for a in made.columns]
    named = {c.index: c for c in report.columns if c.named is not None}
    for action in made.columns:
        column = named.get(action.index)
        if column is None or column.named is None or action.operator != "keep" or action.decided_by == "human":
            continue
        if any(name.startswith((f"{action.name}[]", f"{action.name}.")) for name in names):
            continue  # its values are those of fields
        declared = limits[action.index] if limits else None
        own = policy.rule(report, column, dates[action.index])
        if own.column is not None or own.table is not None or (declared is not None and declared.needs_value):
            continue
        as_named = replace(column, entity=column.named, pii=PII_CLASS[column.named])
        operator = policy.rule(report, as_named, dates[action.index]).operator
        if operator not in _READ:
            gone = "drop" if operator == "drop" else "suppress"
            yield action.index, replace(action, operator=gone, params={}, notes=(*action.notes, _EMPTIED))
