"""Carries people's decisions in an existing plan over to a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from piiscan.core import source_globs
from piiscan.core.errors import UsageError
from piiscan.core.types import ColumnReport, TableReport
from piiscan.masking.plan.plan_types import Action, Span, Subject, TablePlan
from piiscan.masking.plan.plan_writer import labels
from piiscan.masking.plan.policy import Policy, derives


def table(made: TablePlan, before: TablePlan | None, policy: Policy) -> TablePlan:
    """The new plan of a table with the decisions of the earlier one: for columns by name, subjects, and rows.

    A column that has changed its type gets what the policy says, and a note. Raises `UsageError` for a subject whose
    columns are gone.
    """
    if before is None:
        return made
    old, new = labels([a.name for a in before.columns]), labels([a.name for a in made.columns])
    decided = {label: a for label, a in zip(old, before.columns, strict=True) if a.decided_by == "human"}
    columns = tuple(_column(a, decided.get(label), policy) for label, a in zip(new, made.columns, strict=True))
    in_use = {a.subject for a in columns if a.subject}
    at = {i: new.index(label) for i, label in enumerate(old) if label in new}
    kept = {s.name: _moved(s, at, old, made.source) for s in before.subjects if s.name in in_use and _stays(s, columns)}
    made_now = {s.name: s for s in made.subjects}
    subjects = tuple(s for s in {**made_now, **kept}.values() if s.name in in_use)
    gone = tuple(
        f"A person decided {a.operator} for {label}, which no longer exists."
        for label, a in decided.items()
        if label not in new
    )
    return TablePlan(made.source, made.table, columns, subjects, before.drop_rows, made.notes + gone)


def before(report: TableReport, keys: Sequence[ColumnReport], tables: Sequence[TablePlan]) -> TablePlan | None:
    """The earlier plan of a table: that of its source, or of the data set or the files that it is now one table with.

    Of several files only that stays in which they agree.
    """
    named = [t for t in tables if t.table == report.table]
    own = [t for t in named if t.source == report.source]
    of_set = [t for t in named if source_globs.is_glob(t.source) and source_globs.matches(report.source, t.source)]
    files = [t for t in named if report.members and source_globs.matches(t.source, report.source)]
    here = set(labels([c.name for c in (*report.columns, *keys)]))
    for found in (_each(report, named), own, of_set, files):
        fitting = [t for t in found if set(labels([a.name for a in t.columns])) <= here] or found
        if fitting:
            return fitting[0] if len(fitting) == 1 else _common(fitting)
    return None


def _each(report: TableReport, named: Sequence[TablePlan]) -> list[TablePlan]:
    """The earlier plans of all files of a data set; none where one file has none.

    Files of a smaller data set have them beside a larger one of the same glob.
    """
    sources = {member.source for member in report.members}
    found = [t for t in named if t.source in sources]
    return found if len(found) == len(sources) else []


def _common(plans: Sequence[TablePlan]) -> TablePlan:
    """What several plans have in common, as the first one writes it."""
    first, *others = plans
    each = [dict(zip(labels([a.name for a in t.columns]), t.columns, strict=True)) for t in others]
    columns = []
    for label, action in zip(labels([a.name for a in first.columns]), first.columns, strict=True):
        rest = [known.get(label) for known in each]
        if all(other is not None and _decision(other) == _decision(action) for other in rest):
            columns.append(action)
        else:
            columns.append(replace(action, decided_by="policy"))
    subjects = tuple(s for s in first.subjects if all(s in t.subjects for t in others))
    drop_rows = first.drop_rows if all(t.drop_rows == first.drop_rows for t in others) else ()
    return replace(first, columns=tuple(columns), subjects=subjects, drop_rows=drop_rows)


def _decision(action: Action) -> tuple[object, ...]:
    return action.operator, action.params, action.domain, action.subject, action.accept_frequency, action.decided_by


def spans(made: Sequence[Span], before: Sequence[Span]) -> tuple[Span, ...]:
    """What happens to entities inside texts, people's decisions first in rank, by entity in order."""
    decided = {s.entity: s for s in before if s.decided_by == "human"}
    each = {s.entity: s for s in made} | decided
    return tuple(each[entity] for entity in sorted(each))


def _column(made: Action, old: Action | None, policy: Policy) -> Action:
    if old is None:
        return made
    if old.dtype != made.dtype:
        what = (
            f"a person decided {old.operator} when this was a column of type {old.dtype}; now it is {made.dtype}: "
            "decide again"
        )
        return replace(made, notes=(*made.notes, what))
    notes = made.notes
    if not policy.derived and derives(old.operator, old.params):
        notes = (
            *notes,
            (
                f"{old.operator} derives masks from values, which the policy {policy.name} rules out; a person "
                "decided this"
            ),
        )
    return replace(old, index=made.index, name=made.name, entity=made.entity, pii=made.pii, notes=notes)


def _stays(subject: Subject, columns: Sequence[Action]) -> bool:
    """Whether a subject is a person's decision, or one that such decisions go by."""
    return subject.decided_by == "human" or any(a.subject == subject.name and a.decided_by == "human" for a in columns)


def _moved(subject: Subject, at: dict[int, int], names: Sequence[str], source: str) -> Subject:
    def now(i: int) -> int:
        if i not in at:
            raise UsageError(
                f"{source}: the subject {subject.name}, which a person's decisions refer to, names the column "
                f"{names[i]}, which no longer exists; change or remove it in the plan, then make the plan again"
            )
        return at[i]

    return subject.at(now)
