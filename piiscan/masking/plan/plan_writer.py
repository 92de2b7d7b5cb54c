"""A plan written as TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from piiscan.masking.plan.plan_types import VERSION, Plan, Span, Subject, TablePlan

_INTRODUCTION: Final = (
    "What happens to each column. Read it, change it, commit it; it holds no data and no key.",
    'Set decided_by = "human" on what you change: such a decision stays when the plan is made anew.',
)


def labels(names: Sequence[str | None]) -> list[str]:
    """What a plan calls the columns, each otherwise: their names, `column_3` (from 0) for one without, `name#2` for
    a repeated one."""
    times: dict[str, int] = {}
    out: dict[str, None] = {}
    for i, name in enumerate(names):
        text = label = name if name else f"column_{i}"
        while label in out:
            times[text] = times.get(text, 1) + 1
            label = f"{text}#{times[text]}"
        out[label] = None
    return list(out)


def dumps(plan: Plan) -> str:
    """The plan as TOML."""
    import tomlkit

    document = tomlkit.document()
    for line in (*_INTRODUCTION, *plan.notes):
        document.add(_comment(line))
    document.add(tomlkit.nl())
    document.add("version", tomlkit.item(VERSION))
    document.add("policy", tomlkit.item(plan.policy))
    if plan.key_ids:
        document.add("key_ids", tomlkit.item(list(plan.key_ids)))
    document.add("rules_digest", tomlkit.item(plan.rules_digest))
    if plan.vault is not None:
        document.add("vault", tomlkit.item(plan.vault))
    if plan.lists:
        document.add("lists", tomlkit.item(dict(sorted(plan.lists.items()))))
    if plan.spans:
        spans = tomlkit.aot()
        for span in plan.spans:
            spans.append(
                _table(
                    {
                        "entity": span.entity,
                        "operator": span.operator,
                        "with": span.params,
                        "domain": span.domain,
                        **_human(span),
                    },
                    (),
                )
            )
        document.add("spans", spans)
    tables = tomlkit.aot()
    for table in plan.tables:
        tables.append(_table_of(table))
    document.add("tables", tables)
    return tomlkit.dumps(document)


def with_key(text: str, key_id: str) -> str:
    """The text of a plan that names one more key, and is the same otherwise: comments, order and looks included."""
    import tomlkit

    lines = text.splitlines(keepends=True)
    first = next((n for n, line in enumerate(lines) if line.startswith("[")), len(lines))
    head = tomlkit.parse("".join(lines[:first]))
    if "key_ids" in head:
        head["key_ids"].append(key_id)  # type: ignore[union-attr, unused-ignore]
        return tomlkit.dumps(head) + "".join(lines[first:])
    at = next(n for n, line in enumerate(lines) if line.startswith("policy"))
    end = "\r\n" if lines[at].endswith("\r\n") else "\n"
    return "".join((*lines[: at + 1], f'key_ids = ["{key_id}"]{end}', *lines[at + 1 :]))


def _table_of(plan: TablePlan) -> Any:
    import tomlkit

    names = labels([a.name for a in plan.columns])
    out = _table({"source": plan.source, "table": plan.table}, plan.notes)
    if plan.drop_rows:
        out.add("drop_rows", tomlkit.item([dict(c) for c in plan.drop_rows]))
    if plan.subjects:
        subjects = tomlkit.aot()
        for s in plan.subjects:
            fields: dict[str, Any] = {
                "name": s.name,
                "keys": [[names[i] for i in key] for key in s.keys],
                "locale": s.locale,
                "scope": s.scope,
                **{k: names[i] for k, i in s.by_part.items()},
                "look": s.look,
                "meaning": s.meaning,
                **_human(s),
            }
            subjects.append(_table(fields, s.notes))
        out.add("subjects", subjects)
    columns = tomlkit.aot()
    for action, name in zip(plan.columns, names, strict=True):
        fields = {
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
        columns.append(_table(fields, action.notes))
    out.add("columns", columns)
    return out


def _human(decided: Subject | Span) -> dict[str, str]:
    """Said only of what a person has decided: the policy's subjects and spans are many."""
    return {"decided_by": "human"} if decided.decided_by == "human" else {}


def _table(fields: Mapping[str, Any], notes: Sequence[str]) -> Any:
    """A TOML table with comments above its entries; None, empty texts and empty tables are left out."""
    import tomlkit

    out = tomlkit.table()
    for note in notes:
        out.add(_comment(note))
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


def _comment(note: str) -> Any:
    """One line: a note may hold a policy's line ends, or signs of a header that TOML doesn't allow."""
    import tomlkit

    return tomlkit.comment(" ".join("".join(c if c.isprintable() else " " for c in note).split()))
