"""Gives columns that refer to keys of other tables the same mask as those keys, so that joins still work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from piiscan.core.errors import UsageError
from piiscan.core.types import ForeignKey
from piiscan.masking.operators import elements, operator_registry
from piiscan.masking.plan.declared_types import FEW_NUMBERS
from piiscan.masking.plan.frequencies import REVEALED
from piiscan.masking.plan.key_references import Reference
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, TablePlan

_NOTE: Final = "declared to hold keys of {}: masked as these are"
_FEW: Final = "few different values"
_REVEALED: Final = f"only {{}} different keys: {REVEALED}. Masked nevertheless, so that tables join"
_SEEN: Final = "it seems to hold values of {}: masked as these are"
_GONE: Final = "it seems to hold values of {}, which are removed: emptied, too"
_REMOVED: Final = ("suppress", "drop", "redact")
_REFERRED: Final = "it seems to hold keys of other columns: masked as these are"
_LEFT: Final = "it seems to be related to {}, and they don't join: {}"
_OPEN: Final = (
    "it may be related to {}, which names and values can't tell: if so, give both the same operator and domain"
)
_NOT_BY_VALUE: Final = ("keep", "drop", "spans")
_Place = tuple[int, int]


def agreed(
    made: Sequence[TablePlan], keys: Sequence[Sequence[ForeignKey]], few: Sequence[Mapping[int, int]]
) -> list[TablePlan]:
    """The plans of tables with one mask for columns that hold the same keys.

    `keys`: those of each table. `few`: its columns of few values, and how many each has; they are masked, too, since
    emptied keys join with nothing and others would no longer be keys. Columns without any take the type of the key,
    which later values will have. What a person has decided stays.
    """
    actions = {(t, a.index): a for t, table in enumerate(made) for a in table.columns}
    for places in _groups(_declared(made, keys)):
        chosen = _chosen([actions[place] for place in places])
        if chosen is None:
            continue
        of = _called(made[places[0][0]])
        for place in places:
            action = actions[place]
            values = few[place[0]].get(action.index)
            fits = action.dtype == chosen.dtype or values == 0
            if action.decided_by == "policy" and fits and _how(action) != _how(chosen):
                notes = [note for note in action.notes if not (values and note.startswith(_FEW))]
                notes.append(_NOTE.format(of) if place != places[0] else "keys of other tables' columns")
                notes += [_REVEALED.format(values)] if values else []
                actions[place] = replace(
                    action,
                    dtype=chosen.dtype,
                    operator=chosen.operator,
                    params=chosen.params,
                    domain=chosen.domain,
                    subject=None,
                    accept_frequency=chosen.accept_frequency or bool(values),
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
        if _joins(action):
            return action
    return None


def _how(action: Action) -> tuple[object, ...]:
    return action.operator, repr(sorted(action.params.items())), action.domain


def _declared(made: Sequence[TablePlan], keys: Sequence[Sequence[ForeignKey]]) -> Iterator[tuple[_Place, _Place]]:
    """Columns that are declared to hold keys of other tables, and the columns that have these."""
    by_name: Mapping[tuple[str, str | None], int] = {(t.source, t.table): i for i, t in enumerate(made)}
    for t, (table, own) in enumerate(zip(made, keys, strict=True)):
        for key in own:
            there = by_name.get((table.source, key.table))
            if there is None or key.target is None:
                continue
            names = labels([action.name for action in made[there].columns])
            if key.target in names:
                yield (t, key.column), (there, made[there].columns[names.index(key.target)].index)


def _groups(related: Iterable[tuple[_Place, _Place]]) -> Iterator[list[_Place]]:
    """Columns that hold the same keys, those first that others refer to."""
    leader: dict[_Place, _Place] = {}

    def root(place: _Place) -> _Place:
        while leader.setdefault(place, place) != place:
            place = leader[place]
        return place

    for column, key in related:
        leader[root(column)] = root(key)
    groups: dict[_Place, list[_Place]] = {}
    for place in list(leader):
        groups.setdefault(root(place), []).append(place)
    for first, places in groups.items():
        yield [first, *sorted(place for place in places if place != first)]


def seen(
    made: Sequence[TablePlan], references: Sequence[Reference], few: Sequence[Mapping[int, int]]
) -> list[TablePlan]:
    """The plans of tables with one mask for columns that seem to hold the same keys, though nothing declares it.

    Nothing gets a weaker mask by that: what is kept is masked, what is left out stays out. Where that or a decision
    of a person keeps columns from joining, and where a relation is unsure, notes of both say so.
    """
    actions = {(t, a.index): a for t, table in enumerate(made) for a in table.columns}
    names = {(t, a.index): f"{a.name} of {_called(table)}" for t, table in enumerate(made) for a in table.columns}

    def note(place: _Place, text: str) -> None:
        actions[place] = replace(actions[place], notes=(*actions[place].notes, text))

    for first, *others in _groups((one.column, one.key) for one in references if one.sure):
        places = [first, *_sorted(others, made)]
        chosen = _strongest([actions[place] for place in places])
        if chosen is None:
            actions.update(_emptied({place: actions[place] for place in places}, names))
            continue
        for place in places:
            if _how(action := actions[place]) == _how(chosen):
                continue
            if why := _stays(action, chosen):
                other = next(p for p in places if p != place)
                note(place, _LEFT.format(names[other], why))
                note(other, _LEFT.format(names[place], why))
            else:
                said = _REFERRED if place == first else _SEEN.format(names[first])
                actions[place] = _as(chosen, action, said, few[place[0]].get(action.index))
    for one in _unsure(references, actions):
        note(one.column, _OPEN.format(names[one.key]))
        note(one.key, _OPEN.format(names[one.column]))
    return [replace(table, columns=tuple(actions[t, a.index] for a in table.columns)) for t, table in enumerate(made)]


def _unsure(references: Sequence[Reference], actions: Mapping[_Place, Action]) -> list[Reference]:
    """References that may be none, of columns that don't have one mask."""
    return [r for r in references if not r.sure and _how(actions[r.column]) != _how(actions[r.key])]


def _order(table: TablePlan) -> tuple[str, str]:
    return table.source, table.table or ""


def _called(table: TablePlan) -> str:
    return table.table or table.source


def _as(chosen: Action, action: Action, said: str, values: int | None) -> Action:
    """The action with the mask of the chosen one, and its entity, if none was found.

    `values`: how many different ones it has, where these are few.
    """
    return replace(
        action,
        entity=action.entity or chosen.entity,
        operator=chosen.operator,
        params=chosen.params,
        domain=chosen.domain,
        accept_frequency=action.accept_frequency or bool(values),
        notes=(*action.notes, said, *([_REVEALED.format(values)] if values else [])),
    )


def _strongest(actions: Sequence[Action]) -> Action | None:
    """The action for all of some columns: a person's decision first, then that of the first one that is masked.

    None where all are done alike, or nothing is masked by its values.
    """
    if len({_how(action) for action in actions}) == 1:
        return None
    keyed = [a for a in actions if _joins(a)]
    return min(keyed, key=lambda action: action.decided_by != "human", default=None)


def _sorted(places: Sequence[_Place], made: Sequence[TablePlan]) -> list[_Place]:
    """Places by the names of their tables, whatever order these have."""
    return sorted(places, key=lambda place: (made[place[0]].source, made[place[0]].table or "", place[1]))


def _emptied(actions: Mapping[_Place, Action], names: Mapping[_Place, str]) -> Iterator[tuple[_Place, Action]]:
    """Columns that the policy keeps, emptied where it removes the values of another one that holds the same keys."""
    gone = next((names[place] for place, action in actions.items() if _is_removed(action)), None)
    for place, action in actions.items():
        if gone is not None and action.operator == "keep" and action.decided_by == "policy":
            notes = (*action.notes, _GONE.format(gone))
            yield place, replace(action, operator="suppress", params={}, notes=notes)


def _is_removed(action: Action) -> bool:
    """Whether the values of a column about persons are removed as such, and not for being few."""
    is_few = any(note.startswith(_FEW) for note in action.notes)
    return action.operator in _REMOVED and action.pii in ("direct", "quasi") and not is_few


def _joins(action: Action) -> bool:
    if action.operator in _NOT_BY_VALUE or action.subject is not None or action.domain is None:
        return False
    return operator_registry.operator_class(action.operator).keyed


def _takes(action: Action, chosen: Action) -> bool:
    """Whether one of two columns is of lists whose elements can be masked as the cells of the other one are."""
    if "other" not in (action.dtype, chosen.dtype):
        return False
    operator = operator_registry.make(chosen.operator, chosen.params)
    try:
        elements.dtype(operator, action.dtype)
    except UsageError:
        return False
    return operator.masks_values()


def _stays(action: Action, chosen: Action) -> str:
    """Why a column's action isn't replaced by that of the column it is related to; empty where it is."""
    if action.decided_by == "human":
        return "a person decided what is done with one of them"
    if action.dtype != chosen.dtype and not _takes(action, chosen):
        return "their types differ"
    if FEW_NUMBERS in action.notes:
        return FEW_NUMBERS
    return "" if action.operator == "keep" or _joins(action) else f"{action.operator} leaves no keys"
