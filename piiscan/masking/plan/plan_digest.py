"""Identifies a plan in a report: a digest of its text of version 1, without notes and keys.

The text that people read may change; reports of two versions still say that they masked by the same plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from piiscan.masking.plan.plan_types import Action, Plan, Span, Subject, TablePlan
from piiscan.masking.plan.plan_writer import labels

_INTRODUCTION: Final = (
    "What happens to each column. Read it, change it, commit it; it holds no data and no key.",
    'Set decided_by = "human" on what you change: such a decision stays when the plan is made anew.',
)


def digest(plan: Plan) -> str:
    """Identify a plan: the same digest for a plan that was made and for the file it was written to.

    Comments don't count, nor which keys it has masked with.
    """
    import tomlkit

    document = tomlkit.document()
    for line in _INTRODUCTION:
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    document.add("version", tomlkit.item(1))
    document.add("policy", tomlkit.item(plan.policy))
    document.add("rules_digest", tomlkit.item(plan.rules_digest))
    if plan.vault is not None:
        document.add("vault", tomlkit.item(plan.vault))
    if plan.hashed_keys:
        document.add("hashed_keys", tomlkit.item(True))
    if plan.locale != "person":
        document.add("locale", tomlkit.item(plan.locale))
    if plan.lists:
        document.add("lists", tomlkit.item(dict(sorted(plan.lists.items()))))
    if plan.spans:
        document.add("spans", _tables(map(_span, plan.spans)))
    document.add("tables", _tables(map(_table, plan.tables)))
    return sha256(tomlkit.dumps(document).encode()).hexdigest()[:16]


def _table(plan: TablePlan) -> Any:
    import tomlkit

    names = labels([a.name for a in plan.columns])
    out = _filled({"source": plan.source, "table": plan.table})
    if plan.drop_rows:
        out.add("drop_rows", tomlkit.item([dict(c) for c in plan.drop_rows]))
    if plan.subjects:
        out.add("subjects", _tables(_subject(s, names) for s in plan.subjects))
    out.add("columns", _tables(_column(a, name) for a, name in zip(plan.columns, names, strict=True)))
    return out


def _span(span: Span) -> Any:
    fields = {"entity": span.entity, "operator": span.operator, "with": span.params, "domain": span.domain}
    return _filled(fields | _human(span))


def _subject(s: Subject, names: list[str]) -> Any:
    keys = [[names[i] for i in key] for key in s.keys]
    fields: dict[str, Any] = {"name": s.name, "keys": keys}
    if s.everywhere:
        fields["everywhere"] = [names[i] for i in s.everywhere]
    if s.as_masked:
        fields["as_masked"] = [names[i] for i in s.as_masked]
    fields |= {"locale": s.locale, "scope": s.scope}
    fields |= {part: names[i] for part, i in s.by_part.items()}
    return _filled(fields | {"look": s.look, "meaning": s.meaning} | _human(s))


def _column(action: Action, name: str) -> Any:
    return _filled(
        {
            "column": name,
            "index": action.index,
            "dtype": action.dtype,
            "entity": action.entity,
            "pii": action.pii,
            "operator": action.operator,
            "with": action.params,
            "rename": action.rename,
            "domain": action.domain,
            "subject": action.subject,
            "accept_frequency": action.accept_frequency or None,
            "decided_by": action.decided_by,
        }
    )


def _human(decided: Subject | Span) -> dict[str, str]:
    return {"decided_by": "human"} if decided.decided_by == "human" else {}


def _tables(each: Any) -> Any:
    import tomlkit

    out = tomlkit.aot()
    for table in each:
        out.append(table)
    return out


def _filled(fields: Mapping[str, Any]) -> Any:
    """A TOML table without None, empty texts and empty tables."""
    import tomlkit

    out = tomlkit.table()
    for key, value in fields.items():
        if value is None or value == "" or value == {}:
            continue
        out.add(key, _inline(value) if isinstance(value, Mapping) else tomlkit.item(value))
    return out


def _inline(value: Mapping[str, Any]) -> Any:
    """A table on one line, with those within it."""
    import tomlkit

    out = tomlkit.inline_table()
    for key, held in value.items():
        out.append(key, _inline(held) if isinstance(held, Mapping) else held)
    return out
