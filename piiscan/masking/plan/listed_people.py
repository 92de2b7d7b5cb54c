"""People in lists: columns of names, and the e-mail addresses beside them."""

from __future__ import annotations

from collections.abc import Iterable

from piiscan.masking.plan.plan_types import Action

_ELEMENTS = "[]."
"""Between a list of objects and a field of these."""


def lists_names(action: Action) -> bool:
    """Whether a column of lists gets made-up names in full, one for each person."""
    made_up = action.operator == "persona" and action.params.get("kind") == "name" and action.params.get("per") != "row"
    return made_up and action.dtype == "other" and action.subject is None


def with_addresses(columns: Iterable[Action]) -> list[tuple[Action, Action]]:
    """The columns of names in lists of objects that each have one name and one e-mail address: `members[].name`."""
    groups: dict[str, tuple[list[Action], list[Action]]] = {}
    for action in columns:
        prefix, _, field = (action.name or "").rpartition(_ELEMENTS)
        if prefix and field and action.dtype == "other":
            names, addresses = groups.setdefault(prefix, ([], []))
            if lists_names(action):
                names.append(action)
            elif action.entity == "EMAIL_ADDRESS":
                addresses.append(action)
    return [(names[0], addresses[0]) for names, addresses in groups.values() if len(names) == len(addresses) == 1]
