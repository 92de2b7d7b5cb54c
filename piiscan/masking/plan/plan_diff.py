"""Describes what has changed from one plan to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from piiscan.masking.plan.plan_types import Action, Plan, Span, Subject, TablePlan
from piiscan.masking.plan.plan_writer import labels

_HIDDEN: Final = frozenset(("text", "groups", "vault"))
"""Parameters that may hold cell values or paths."""
_NONE: Final = "none"
Item = TypeVar("Item")


def differences(before: Plan, after: Plan) -> list[str]:
    """A line for each change; none where the plans do the same.

    No line holds a value that a condition, a group or a fixed text names.
    """
    return list(_plan(before, after))


def _plan(a: Plan, b: Plan) -> Iterator[str]:
    yield from _changed("policy", a.policy, b.policy)
    if a.rules_digest != b.rules_digest:
        yield "rules: they were made with different rules"
    yield from _changed("vault", a.vault, b.vault)
    yield from _changed("hashed_keys", a.hashed_keys, b.hashed_keys)
    yield from _changed("locale", a.locale, b.locale)
    yield from _each("key", {k: k for k in a.key_ids}, {k: k for k in b.key_ids}, lambda *_: iter(()))
    yield from _each("name lists of", a.lists, b.lists, lambda name, x, y: iter([f"{name}: changed"] if x != y else []))
    yield from _each("inside texts:", _spans(a), _spans(b), _action, lambda s: s.operator)
    yield from _each("table", _tables(a), _tables(b), _table, lambda t: f"{len(t.columns)} columns")


def _spans(plan: Plan) -> dict[str, Span]:
    return {s.entity: s for s in plan.spans}


def _tables(plan: Plan) -> dict[str, TablePlan]:
    found: dict[str, TablePlan] = {}
    for table in plan.tables:
        name = f"{table.source}::{table.table}" if table.table else table.source
        n = sum(known == name or known.startswith(f"{name}#") for known in found)
        found[f"{name}#{n + 1}" if n else name] = table  # data sets of other columns may have one glob
    return found


def _table(name: str, a: TablePlan, b: TablePlan) -> Iterator[str]:
    name = name.removeprefix("table ")
    old, new = _columns(a), _columns(b)
    yield from _each(f"{name}: column", old, new, _action, lambda c: c.operator)
    if [c for c in old if c in new] != [c for c in new if c in old]:
        yield f"{name}: the columns stand in another order"
    yield from _each(f"{name}: subject", _subjects(a), _subjects(b), _fields, lambda s: f"by {s['keys']}")
    if a.drop_rows != b.drop_rows:
        yield f"{name}: the conditions of drop_rows changed ({len(a.drop_rows)} before, {len(b.drop_rows)} now)"


def _columns(plan: TablePlan) -> dict[str, Action]:
    return dict(zip(labels([c.name for c in plan.columns]), plan.columns, strict=True))


def _subjects(plan: TablePlan) -> dict[str, dict[str, str]]:
    names = labels([c.name for c in plan.columns])
    return {s.name: _described(s, names) for s in plan.subjects}


def _action(name: str, a: Action | Span, b: Action | Span) -> Iterator[str]:
    """Of a column, or of an entity inside texts."""
    by = " (decided by a person)" if b.decided_by == "human" else ""
    if a.operator != b.operator:
        yield f"{name}: {a.operator} → {b.operator}{by}"
    elif a.decided_by != b.decided_by:
        yield f"{name}: decided by {'a person' if by else 'the policy'} now"
    yield from _parameters(name, a.params, b.params, a.operator != b.operator)
    yield from _changed(f"{name}: key domain", a.domain, b.domain)
    if isinstance(a, Action) and isinstance(b, Action):
        yield from _changed(f"{name}: subject", a.subject, b.subject)
        yield from _changed(f"{name}: name in the output", a.rename, b.rename)
        yield from _changed(f"{name}: accept_frequency", a.accept_frequency, b.accept_frequency)
        yield from _changed(f"{name}: entity", a.entity, b.entity)
        yield from _changed(f"{name}: class", a.pii, b.pii)
        yield from _changed(f"{name}: type", a.dtype, b.dtype)


def _parameters(name: str, a: Mapping[str, Any], b: Mapping[str, Any], other: bool) -> Iterator[str]:
    """Of the same operator, what differs; of an `other` one, what the new one is given."""
    for key in b if other else dict.fromkeys((*a, *b)):
        old, new = a.get(key), b.get(key)
        if not other and repr(old) == repr(new):
            continue
        hidden = key in _HIDDEN or any(isinstance(value, list | tuple | Mapping) for value in (old, new))
        if other:
            yield f"{name}: {key}: {'given' if hidden else _word(new)}"
        else:
            yield f"{name}: {key}: changed" if hidden else f"{name}: {key}: {_word(old)} → {_word(new)}"


def _described(subject: Subject, names: Sequence[str]) -> dict[str, str]:
    """A subject by the names of its columns."""
    return {
        "keys": "; ".join(", ".join(names[i] for i in key) for key in subject.keys),
        "everywhere": ", ".join(names[i] for i in subject.everywhere),
        "as masked": ", ".join(names[i] for i in subject.as_masked),
        **{part.replace("_", " "): names[i] for part, i in subject.by_part.items()},
        "locale": subject.locale,
        "scope": subject.scope,
        "look": subject.look,
        "meaning": "given" if subject.meaning else "",
        "decided by": "a person" if subject.decided_by == "human" else "the policy",
    }


def _fields(name: str, a: Mapping[str, str], b: Mapping[str, str]) -> Iterator[str]:
    for key in dict.fromkeys((*a, *b)):
        yield from _changed(f"{name}: {key}", a.get(key), b.get(key))


def _each(
    what: str,
    a: Mapping[str, Item],
    b: Mapping[str, Item],
    changes: Callable[[str, Item, Item], Iterator[str]],
    describe: Callable[[Item], str] = lambda _: "",
) -> Iterator[str]:
    """Items by their names: what is gone, what changed, what is new."""
    for name, item in a.items():
        if name not in b:
            yield f"{what} {name}: gone{_in_brackets(describe(item))}"
        else:
            yield from changes(f"{what} {name}", item, b[name])
    for name, item in b.items():
        if name not in a:
            yield f"{what} {name}: new{_in_brackets(describe(item))}"


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def _changed(what: str, a: Any, b: Any) -> Iterator[str]:
    if a != b:
        yield f"{what}: {_word(a)} → {_word(b)}"


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _NONE if value in (None, "") else str(value)
