"""Finds tables about the same people, and keys of people, by values that keys share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from piiscan.core.types import ColumnReport, Reason, TableReport
from piiscan.masking.plan.key_links import IN_SCOPE, kinds
from piiscan.masking.plan.plan_types import Subject, TablePlan

SAMPLED: Final = 300
"""Values of a key that are compared: those of the smallest hashes, the same ones wherever they stand."""
_KEYS: Final = (*IN_SCOPE, "GENERIC_ID")
_SHARE: Final = 0.2
"""The share of the smaller sample that has to be in the other one."""
_FEWEST: Final = 5
_TELLING: Final = re.compile(r"[^\W\d_]|\d{7}")
"""Values that two unrelated tables don't share by chance, as small numbers are."""


def may_be_keys(column: ColumnReport) -> bool:
    """Whether a column may turn out to hold keys of another table's people: keys of which nothing says whose."""
    return column.entity == "GENERIC_ID" and column.pii != "direct" and not is_declared(column)


def is_declared(column: ColumnReport) -> bool:
    """Whether the configuration says what a column is.

    It may also say how sure a verdict must be, which is the last reason of one that isn't.
    """
    return any(reason.by == "user" for reason in column.reasons[:1])


def as_key(column: ColumnReport) -> ColumnReport:
    """The column as it would be if its values were keys of another table's people."""
    return replace(column, entity="PERSON_ID", pii="quasi") if may_be_keys(column) else column


def with_keys_of_people(
    tables: Sequence[TableReport], samples: Sequence[Sequence[tuple[str, ...]]]
) -> list[TableReport]:
    """Call keys what other keys of people are, of their own table or of another one, where they share values.

    Of several such keys persons' own go first, then those with most values. `samples` as for `with_common_scopes`.
    """
    known = [
        (column.entity == "GENERIC_ID", -column.distinct, t, column, values)
        for t, table in enumerate(tables)
        for column in table.columns
        if column.entity in _KEYS and column.pii != "none" and (values := _telling(samples[t][column.index]))
    ]
    known.sort(key=lambda one: one[:3])

    def named(t: int, column: ColumnReport) -> ColumnReport:
        if not known or not may_be_keys(column) or not (own := _telling(samples[t][column.index])):
            return column
        whose = next((k for k in known if (k[2], k[3].index) != (t, column.index) and share(own, k[4])), None)
        if whose is None:
            return column
        _, _, there, key, _ = whose
        where = "in" if there == t else f"in {tables[there].table or tables[there].source} too, as those of"
        said = f"its values stand {where} {key.name or f'column_{key.index}'}"
        reasons = (Reason("values", text=said), *column.reasons)
        return replace(column, entity=key.entity, pii=key.pii, reasons=reasons)

    return [
        replace(table, columns=tuple(named(t, column) for column in table.columns)) for t, table in enumerate(tables)
    ]


def with_common_scopes(
    tables: Sequence[TablePlan], samples: Sequence[Sequence[tuple[str, ...]]], rows: Sequence[int]
) -> list[TablePlan]:
    """Give one scope to subjects whose keys of one kind share values.

    It is the scope of the table that knows them by most keys; of several, the one with most rows. `samples`: texts of
    each column of each table; `rows`: how many each table has.
    """
    keyed = [
        (t, s, action.entity or "", _telling(samples[t][key[0]]))
        for t, table in enumerate(tables)
        for s, subject in enumerate(table.subjects)
        for key in subject.keys
        if len(key) == 1 and (action := table.columns[key[0]]).entity in IN_SCOPE
    ]
    group = {(t, s): (t, s) for t, s, _, _ in keyed}

    def root(at: tuple[int, int]) -> tuple[int, int]:
        while group[at] != at:
            at = group[at]
        return at

    for n, (t, s, entity, values) in enumerate(keyed):
        for t2, s2, entity2, values2 in keyed[n + 1 :]:
            if t != t2 and entity == entity2 and share(values, values2):
                group[root((t2, s2))] = root((t, s))
    scopes: dict[tuple[int, int], tuple[int, int, str]] = {}
    for at in group:
        subject = tables[at[0]].subjects[at[1]]
        scope = (-len(subject.keys), -rows[at[0]], subject.scope)
        scopes[root(at)] = min(scopes.get(root(at), scope), scope)
    return [
        replace(
            table,
            subjects=tuple(
                _in_scope(subject, scopes[root((t, s))][-1]) if (t, s) in group else subject
                for s, subject in enumerate(table.subjects)
            ),
        )
        for t, table in enumerate(tables)
    ]


def _telling(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(filter(_TELLING.search, texts[:SAMPLED]))


def share(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether samples of two columns, of the smallest hashes each, have enough values in common."""
    least = min(len(a), len(b))
    return len(a & b) >= max(_SHARE * least, min(_FEWEST, least), 1)


def _in_scope(subject: Subject, scope: str) -> Subject:
    if subject.scope == scope:
        return subject
    note = f"values of its keys stand in other tables too, as those of a {scope}"
    return replace(subject, scope=scope, notes=(*subject.notes, note))


def know_each_other(tables: Sequence[TablePlan]) -> bool:
    """Whether two tables or more have made-up people of whom a key may stand in both."""
    keys = [
        {kind for s in t.subjects for kind in kinds(s, t)}
        for t in tables
        if any(a.operator == "persona" for a in t.columns)
    ]
    seen: set[tuple[int, str]] = set()
    for each in keys:
        if seen & each:
            return True
        seen |= each
    return False
