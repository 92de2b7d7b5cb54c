"""Columns of cities, regions and postal codes that a policy makes up: one place for each subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from piiscan.core.types import ColumnReport
from piiscan.masking.operators.persona import PERSONA_DOMAIN, PLACES
from piiscan.masking.plan.choice import Chosen
from piiscan.masking.plan.plan_types import Action, Subject, TablePlan
from piiscan.masking.plan.plan_writer import labels
from piiscan.masking.plan.subjects import PLACE_KINDS
from piiscan.masking.plan.whose_columns import whose_place

_GONE: Final = ("suppress", "drop", "redact")
_KEPT_CHARACTERS: Final = 2
"""Of the postal codes beside cities that are kept."""


def chosen(column: ColumnReport, sample: Sequence[str], locale: str, people: Sequence[Subject]) -> Chosen | None:
    """The part of its subject's place for a column; None where no column identifies whose place it is."""
    from piiscan.masking.surrogates import cities_with_codes

    subject = whose_place(column.name, people)
    if subject is None:
        return None
    kind = PLACE_KINDS[column.entity or ""]
    look = {
        "city": lambda: cities_with_codes.city_look(sample),
        "region": lambda: cities_with_codes.region_look(sample),
        "postal_code": lambda: cities_with_codes.code_look(sample, locale),
    }[kind]()
    params: dict[str, Any] = {"kind": kind, "locale": locale, "look": look, "places": cities_with_codes.digest()}
    return Chosen("persona", params, PERSONA_DOMAIN, subject.name)


def agreed(table: TablePlan) -> TablePlan:
    """Keep made-up postal codes away from cities that are kept.

    The table also notes where only some parts of a place are made up.
    """
    if not any(map(_is_made_up, table.columns)):
        return table
    others = [a for a in table.columns if a.entity in (*PLACE_KINDS, "COUNTRY") and a.operator not in _GONE]
    others = [a for a in others if not _is_made_up(a)]
    columns = tuple(_beside(a, [o for o in others if _same_place(a, o, table)], table) for a in table.columns)
    left = {a.subject for a in table.columns} - {a.subject for a in columns}
    return replace(table, columns=columns, subjects=tuple(s for s in table.subjects if s.name not in left))


def _beside(action: Action, others: Sequence[Action], table: TablePlan) -> Action:
    """A column beside other parts of the same place that aren't made up."""
    if not _is_made_up(action) or action.decided_by == "human" or not others:
        return action
    names = labels([a.name for a in table.columns])
    city = next((names[o.index] for o in others if o.entity == "CITY" and o.operator == "keep"), None)
    if action.entity == "POSTAL_CODE" and city is not None:
        return _coarser(action, city)
    which = " and ".join(names[o.index] for o in others)
    note = f"{which} {'is' if len(others) == 1 else 'are'} not made up, so the made-up place may disagree"
    return replace(action, notes=(*action.notes, note))


def _same_place(action: Action, other: Action, table: TablePlan) -> bool:
    whose = whose_place(other.name, table.subjects)
    return other.entity == "COUNTRY" or whose is None or whose.name == action.subject


def _is_made_up(action: Action) -> bool:
    return action.operator == "persona" and action.params.get("kind") in PLACES


def _coarser(action: Action, city: str) -> Action:
    """A made-up code would contradict the city, and the true one would reveal more than the city does."""
    american = str(action.params["locale"]) == "en_US"
    return replace(
        action,
        operator="zip3" if american else "prefix",
        params={} if american else {"keep": _KEPT_CHARACTERS},
        domain=None,
        subject=None,
        notes=(*action.notes, f"{city} is kept, with which a made-up postal code wouldn't agree: its beginning stays"),
    )
