"""Columns in review, of which a person should say what they are: how plans mark them, and which they don't mask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from piiscan.core.types import ColumnReport
from piiscan.masking.plan.plan_types import TablePlan
from piiscan.masking.plan.plan_writer import labelled

_MARK: Final = "to review, "
_LEAVES: Final = frozenset(("keep", "spans"))


def note(column: ColumnReport) -> Iterator[str]:
    """Why a person should decide, who is about to read the plan anyway."""
    if column.review:
        yield f"{_MARK}{column.pii} is {column.pii_confidence:.0%} sure: {'; '.join(column.review)}"


def left(tables: Sequence[TablePlan]) -> list[str]:
    """The columns in review of which a new plan keeps the values, or all of a text but what is found in it."""
    return [
        where
        for where, action in labelled(tables)
        if action.operator in _LEAVES
        and action.decided_by != "human"
        and any(n.startswith(_MARK) for n in action.notes)
    ]
