"""Columns of few values, or few people: what is made of them in place of equal masks, and what ranks reveal."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from piiscan.core.types import ColumnReport, DType, Limits, TableReport
from piiscan.masking.plan.choice import Chosen
from piiscan.masking.plan.frequencies import REVEALED, Frequencies, few
from piiscan.masking.plan.plan_types import Subject

_LITTLE: Final = 0.01
"""A smaller share of cells that ranks reveal isn't told exactly."""
_MUST_ACCEPT: Final = (
    f"few different values: {REVEALED}. Masked nevertheless, as the column is NOT NULL and can't be emptied"
)
_TALK: Final = "talk table"
_SPEAKERS: Final = (
    f"few speakers: {REVEALED}. Each keeps one made-up name nevertheless, as a talk is read by who speaks"
)


def of_few(
    chosen: Chosen, column: ColumnReport, dtype: DType, subject: Subject | None, frequencies: Frequencies
) -> tuple[Chosen, str] | None:
    """The operator for a column of few values, or few people, in place of equal masks, and why; None for others."""
    if chosen.deterministic and few(column.distinct, frequencies.filled[column.index]):
        return Chosen("suppress"), (
            "few different values: equal masks would reveal them by how often they occur; "
            f"{chosen.operator} needs accept_frequency = true"
        )
    if not chosen.subject_decides:
        return None
    people = frequencies.people(subject) if subject else column.distinct
    cells = frequencies.cells(subject) if subject else frequencies.filled[column.index]
    if not few(people, cells):
        return None
    who = "1 person" if people == 1 else f"{people} different people"
    why = f"only {who}, whom equal masks would reveal by how often they occur"
    if dtype == "other":
        return Chosen("suppress"), f"{why}; {chosen.operator} needs accept_frequency = true"
    return replace(chosen, params={**chosen.params, "per": "row"}), (
        f"{why}: each row gets another made-up person; to keep one for each person, replace per by "
        "accept_frequency = true"
    )


def rank_attack(column: ColumnReport, subject: Subject | None, frequencies: Frequencies) -> str:
    """What an attacker can guess from frequency ranks alone, for the reader of the plan."""
    share = frequencies.guessed_people(subject) if subject else frequencies.guessed[column.index]
    about = "" if column.distinct_exact or share < _LITTLE else "about "
    return f"rank attack: {about}{share:.0%}" if share >= _LITTLE else f"rank attack: below {_LITTLE:.0%}"


def accepted(rare: Chosen, limits: Limits | None, report: TableReport) -> str:
    """Why few values, or few people, are masked as others are, in place of `rare`; "" where they aren't."""
    if rare.operator == "suppress" and limits is not None and limits.needs_value:
        return _MUST_ACCEPT
    return _SPEAKERS if report.format == _TALK else ""
