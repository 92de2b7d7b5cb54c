"""Writes what a user should know about a plan's texts: missing links to people, and values not looked for."""

from __future__ import annotations

from typing import Final

from piiscan.masking.known.known_values import Joins, has_texts, known_columns
from piiscan.masking.known.value_forms import KIND_OF
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Plan, TablePlan

_MISSED: Final = (
    "36% of the persons in English ones, 45% in German, 53% in Dutch, 35% in French, 24% in Portuguese, 80% in "
    "clinical notes of several scripts; other languages weren't measured"
)
"""Persons that the recogniser missed in labelled texts: docs/benchmarks.md, recall of exact spans."""


def texts_alone(plan: Plan) -> tuple[str, ...]:
    """Return a sentence for each text column that neither a column beside it nor another table links to a person."""
    joins, spans = Joins(plan), [s.entity for s in plan.spans]
    return tuple(
        (
            f"{_place(table)}: column {label}: no column identifies the person these texts are about, so only the "
            "recogniser finds names in them, and only rules find other identifiers. In labelled texts the recogniser "
            f"missed {_MISSED}. The operator suppress leaves nothing of the texts."
        )
        for table in plan.tables
        if has_texts(table) and not joins.requested(table) and not known_columns(table, spans)
        for action, label in zip(table.columns, labels([a.name for a in table.columns]), strict=True)
        if action.operator == "spans"
    )


def not_looked_for(plan: Plan) -> tuple[str, ...]:
    """A sentence for each identifying column that a person decided to keep: its values stay in texts, too."""
    if not any(has_texts(table) for table in plan.tables):
        return ()
    return tuple(
        (f"{_place(table)}: column {label} is kept by a person's decision, so its values aren't searched for in texts.")
        for table in plan.tables
        for action, label in zip(table.columns, labels([a.name for a in table.columns]), strict=True)
        if action.operator == "keep"
        and action.decided_by == "human"
        and action.pii == "direct"
        and action.entity in KIND_OF
    )


def _place(table: TablePlan) -> str:
    return table.source if table.table is None else f"{table.source}::{table.table}"
