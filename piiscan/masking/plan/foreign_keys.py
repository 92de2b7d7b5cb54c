"""Gives columns that refer to keys of other tables the same mask as those keys, so that joins still work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from piiscan.core.types import ForeignKey
from piiscan.masking.operators import operator_registry
from piiscan.masking.plan.declared_types import FEW_NUMBERS
from piiscan.masking.plan.frequencies import REVEALED
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, TablePlan

_NOTE: Final = "declared to hold keys of {}: masked as these are"
_FEW: Final = "few different values"
_REVEALED: Final = f"only {{}} different keys: {REVEALED}. Masked nevertheless, so that tables join"
_Place = tuple[int, int]


def agreed(
    made: Sequence[TablePlan], keys: Sequence[Sequence[ForeignKey]], few: Sequence[Mapping[int, int]]
) -> list[TablePlan]:
    """The plans of tables with one mask for columns that hold the same keys.

    `keys`: those of each table. `few`: its columns of few values, and how many each has; they are masked, too, since
    emptied keys join with nothing and others would no longer be keys. What a person has decided stays.
    """
    actions = {(t, a.index): a for t, table in enumerate(made) for a in table.columns}
    for places in _groups(made, keys):
        chosen = _chosen([actions[place] for place in places])
        if chosen is None:
            continue
        of = f"{made[places[0][0]].table or made[places[0][0]].source}"
        for place in places:
            action = actions[place]
            if action.decided_by == "policy" and action.dtype == chosen.dtype and _how(action) != _how(chosen):
                values = few[place[0]].get(action.index)
                notes = [note for note in action.notes if values is None or not note.startswith(_FEW)]
                notes.append(_NOTE.format(of) if place != places[0] else "keys of other tables' columns")
                notes += [] if values is None else [_REVEALED.format(values)]
                actions[place] = replace(
                    action,
                    operator=chosen.operator,
                    params=chosen.params,
                    domain=chosen.domain,
                    subject=None,
                    accept_frequency=chosen.accept_frequency or values is not None,
                    notes=tuple(notes),
                )
    return [replace(table, columns=tuple(actions[t, a.index] for a in table.columns)) for t, table in enumerate(made)]


def _chosen(actions: Sequence[Action]) -> Action | None:
    """The action for all of some columns: that of the first one that is masked by its values.

    That of one whose type has no room for masks comes first. None where they have the same one already, or none that
    they could share.
    """
    if len({_how(action) for action in actions}) == 1:
        return None
    first = sorted(actions, key=lambda action: action.decided_by != "human")
    small = next((a for a in first if a.operator == "keep" and FEW_NUMBERS in a.notes), None)
    if small is not None and all(a.decided_by == "policy" for a in actions):
        return small
    for action in first:
        if action.operator in ("keep", "drop", "spans") or action.subject is not None:
            continue
        if action.domain is not None and operator_registry.operator_class(action.operator).keyed:
            return action
    return None


def _how(action: Action) -> tuple[object, ...]:
    return action.operator, repr(sorted(action.params.items())), action.domain


def _groups(made: Sequence[TablePlan], keys: Sequence[Sequence[ForeignKey]]) -> Iterator[list[_Place]]:
    """Columns that hold the same keys, those first that others refer to."""
    by_name: Mapping[tuple[str, str | None], int] = {(t.source, t.table): i for i, t in enumerate(made)}
    leader: dict[_Place, _Place] = {}

    def root(place: _Place) -> _Place:
        while leader.setdefault(place, place) != place:
            place = leader[place]
        return place

    for t, (table, own) in enumerate(zip(made, keys, strict=True)):
        for key in own:
            there = by_name.get((table.source, key.table))
            if there is None or key.target is None:
                continue
            names = labels([action.name for action in made[there].columns])
            if key.target in names:
                leader[root((t, key.column))] = root((there, made[there].columns[names.index(key.target)].index))
    groups: dict[_Place, list[_Place]] = {}
    for place in list(leader):
        groups.setdefault(root(place), []).append(place)
    for first, places in groups.items():
        yield [first, *sorted(place for place in places if place != first)]
