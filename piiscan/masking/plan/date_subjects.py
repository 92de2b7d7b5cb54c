"""Finds the subject of each date that `date-shift` moves: dates of one subject move together everywhere.

A person's number serves best, since tables of events have one more often than anything else; families share e-mail
addresses, and addresses change.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from piiscan.core.errors import UsageError
from piiscan.core.types import ColumnReport, TableReport
from piiscan.masking.operators.date_shift import DATES_DOMAIN
from piiscan.masking.plan import subjects, whose_columns
from piiscan.masking.plan.key_links import NATIONAL, ranked
from piiscan.masking.plan.plan_types import Action, Subject, TablePlan
from piiscan.masking.plan.plan_writer import labels
from piiscan.masking.plan.policy import Policy
from piiscan.rules.definitions import suggestion

NAME: Final = "dates"
"""What the plan calls the subject that dates belong to."""
_KEYS: Final = ("EMAIL_ADDRESS", "USERNAME")
TELLING: Final = frozenset(("PERSON_ID", "MEDICAL_RECORD", "EMAIL_ADDRESS", "USERNAME"))
"""Entities of columns that identify whose a row's dates are."""
_NUMBERS: Final = ("MEDICAL_RECORD", "PERSON_ID")
_PATIENT: Final = "patient"
"""Within what a medical record number means somebody, whatever its column is called."""
REVEALS: Final = (
    "all dates of one subject move by the same number of days: anyone who knows one true date of a person knows "
    "all of them"
)


def moves_dates(action: Action) -> bool:
    return action.operator == "date-shift"


def given(tables: Sequence[TablePlan], reports: Sequence[TableReport], policy: Policy, locale: str) -> list[TablePlan]:
    """The tables of a plan, each date that moves with a subject, and so the texts beside them.

    Raises `UsageError` where no column identifies whose a column's dates are, with what to type.
    """
    moving = [a for t in tables for a in t.columns if moves_dates(a)]
    if not moving:
        return list(tables)
    numbers = _numbers(tables, reports, policy)
    scopes = {_scope(n, r) for n, r in zip(numbers, reports, strict=True) if n}
    # Tables without dates may tell which user names are whose numbers.
    links = any(n is None and any(map(moves_dates, t.columns)) for n, t in zip(numbers, tables, strict=True))
    out = []
    for table, report, number in zip(tables, reports, numbers, strict=True):
        scope = _scope(number, report) if number else "".join(scopes) if len(scopes) == 1 else ""
        subject = _subject(report, number, scope or subjects.row_noun(report), locale)
        out.append(_with_subject(table, subject, moving, links))
    return out


def _numbers(
    tables: Sequence[TablePlan], reports: Sequence[TableReport], policy: Policy
) -> list[tuple[int, ...] | None]:
    """For each table the columns that identify best whose its rows are; None where there are none.

    Those that the policy names, else a number. None, too, where one of several numbers can't be chosen.
    """
    numbers = [_named(t, r, policy) or _number(r) for t, r in zip(tables, reports, strict=True)]
    known = [(n, r) for n, r in zip(numbers, reports, strict=True) if n and _one_row_each(n[0], r)]
    trusted = {_scope(n, r) for n, r in known}
    return [n or _likely(r, trusted) for n, r in zip(numbers, reports, strict=True)]


def _with_subject(
    table: TablePlan,
    subject: Subject | None,
    moving: Sequence[Action],
    links: bool,
) -> TablePlan:
    names = labels([a.name for a in table.columns])
    columns = []
    for action, label in zip(table.columns, names, strict=True):
        if moves_dates(action):
            if action.subject is None and subject is None:
                raise UsageError(_asks(table, label))
            action = replace(action, subject=action.subject or NAME, notes=(*action.notes, REVEALS))
        elif action.operator == "spans" and action.decided_by == "policy":
            action = _moved_text(action, subject, moving)
        columns.append(action)
    taken = NAME in {a.subject for a in columns}
    taken = taken or (links and subject is not None and len(ranked(subject, table)) > 1)
    added = (subject,) if subject and taken and all(s.name != NAME for s in table.subjects) else ()
    return replace(table, columns=tuple(columns), subjects=(*table.subjects, *added))


def _moved_text(action: Action, subject: Subject | None, moving: Sequence[Action]) -> Action:
    """A column of texts whose dates move with those of its rows' subjects."""
    first = Counter((a.params["days"], bool(a.params.get("weekdays")), a.domain) for a in moving).most_common(1)[0][0]
    params = {**action.params, "shift_days": first[0], **({"weekdays": True} if first[1] else {})}
    if subject is None:
        note = "dates in these texts are replaced by <DATE>: no column identifies the person they belong to"
        return replace(action, params=params, notes=(*action.notes, note))
    return replace(action, params=params, domain=first[2], subject=NAME, notes=(*action.notes, REVEALS))


def _asks(table: TablePlan, label: str) -> str:
    where = table.source if table.table is None else f"{table.source}::{table.table}"
    return (
        f"{where}: column {label}: date-shift moves all dates of one person together, and no column identifies "
        'the person; add the columns that do to the rule of the policy: subject = ["patient_no"]. Or put a rule '
        f'before it: [[rule]] column = "{label}" operator = "date-generalise" with = {{level = "month"}}'
    )


def _named(table: TablePlan, report: TableReport, policy: Policy) -> tuple[int, ...] | None:
    """The columns that a rule of the policy names for a table's dates."""
    at = {label: i for i, label in enumerate(labels([a.name for a in table.columns]))}
    for action, column in zip(table.columns, report.columns, strict=True):
        if not moves_dates(action) or action.decided_by == "human":
            continue
        rule = policy.rule(report, column, True)
        if not rule.subject:
            continue
        if missing := next((name for name in rule.subject if name not in at), None):
            raise UsageError(
                f"{table.source}: in the policy {', '.join(rule.subject)} identifies the person of the dates in "
                f"{action.name}, and there is no column {missing}{suggestion(missing, at)}. Give this table a "
                f'rule of its own: table = "{table.source}"'
            )
        return tuple(at[name] for name in rule.subject)
    return None


def _number(report: TableReport) -> tuple[int, ...] | None:
    """The one column of numbers of persons that a table has."""
    for entity in _NUMBERS:
        found = [c for c in _usable(report) if c.entity == entity and c.rule != "person-role"]
        if len(found) == 1:
            return (found[0].index,)
        if found:
            return None
    return None


def _likely(report: TableReport, trusted: Iterable[str]) -> tuple[int, ...] | None:
    """Of several numbers the one that tells rows apart in another table."""
    numbers = [c for c in _usable(report) if c.entity in _NUMBERS and c.rule != "person-role"]
    found = [c for c in numbers if _scope((c.index,), report) in set(trusted)]
    return (found[0].index,) if len(found) == 1 else None


def _usable(report: TableReport) -> list[ColumnReport]:
    """Columns that may identify a row's person: no lists, which may be of several people."""
    return [c for c in report.columns if c.dtype != "other"]


def _one_row_each(number: int, report: TableReport) -> bool:
    return report.columns[number].distinct >= subjects.UNIQUE * max(1, report.rows)


def _scope(number: Sequence[int], report: TableReport) -> str:
    column = report.columns[number[0]]
    return (
        _PATIENT if column.entity == "MEDICAL_RECORD" else whose_columns.whose_part(column) or subjects.row_noun(report)
    )


def _subject(report: TableReport, number: tuple[int, ...] | None, scope: str, locale: str) -> Subject | None:
    own = [c for c in _usable(report) if c.rule != "person-role" and (whose_columns.whose_part(c) or scope) == scope]
    keys = [number] if number else []
    for entity in _KEYS:
        keys += [(c.index,) for c in own if c.entity == entity][:1]
    keys += [(c.index,) for c in subjects.national_numbers(report)]
    names = tuple(c.index for c in own if c.entity in ("FIRST_NAME", "LAST_NAME", "PERSON") and c.pii == "direct")
    keys += [names] if names else []
    if not keys or (number is None and _has_several_numbers(report)):  # and no word of whose dates these are
        return None
    everywhere = tuple(key[0] for key in keys if report.columns[key[0]].entity in NATIONAL)
    return Subject(NAME, tuple(dict.fromkeys(keys)), locale, scope, everywhere=everywhere)


def _has_several_numbers(report: TableReport) -> bool:
    return sum(c.entity in _NUMBERS and c.rule != "person-role" for c in _usable(report)) > 1


def check(table: TablePlan, location: str) -> None:
    """Check that dates of one subject move together.

    Raises `UsageError` for dates that would each move by themselves although the table identifies their subject, and
    for those of one subject that would move by different offsets.
    """
    names = labels([a.name for a in table.columns])
    moving = [(a, label) for a, label in zip(table.columns, names, strict=True) if moves_dates(a)]
    telling = [label for a, label in zip(table.columns, names, strict=True) if a.entity in TELLING]
    by_subject: dict[str, tuple[Any, str]] = {}
    for action, label in moving:
        if action.subject is None and (telling or len(moving) > 1):
            key = (telling or ["patient_no"])[0]
            raise UsageError(
                f"{location}: column {label}: date-shift needs the person these dates belong to: add subject = "
                f'"{NAME}" to the column, and above [tables.columns] the line '
                f"subjects.{NAME} = {{keys = [[{json.dumps(key, ensure_ascii=False)}]]}}"
            )
        if action.subject is None:
            continue
        how = _how(action.params, action.domain)
        before = by_subject.setdefault(action.subject, (how, label))
        if before[0] != how:
            raise UsageError(
                f"{location}: columns {before[1]} and {label} contain dates of one subject, {action.subject}, "
                "which move together: give both the same days, weekdays and domain"
            )


def _how(params: Mapping[str, Any], domain: str | None) -> tuple[Any, ...]:
    return (params.get("days"), bool(params.get("weekdays")), domain or DATES_DOMAIN)
