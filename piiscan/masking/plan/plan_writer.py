"""Writes a plan as TOML: each decision once, each column on one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from piiscan.masking.plan import plan_groups
from piiscan.masking.plan.plan_types import VERSION, Action, Plan, Span, Subject, TablePlan

_INTRODUCTION: Final = (
    "What happens to each column. Read it, change it, commit it; it holds no cell values and no key.",
    'Set decided_by = "human" on what you change: such a decision stays when the plan is made anew.',
)
_DEFAULTS: Final = "What columns of each entity get (OTHER: of none), unless their own line says otherwise."
_SPANS: Final = "What happens to what is found inside texts."
APART: Final = " | "
"""Between the notes of a line."""
_BARE: Final = re.compile("[A-Za-z0-9_-]+")
_WIDTH: Final = 150


def labels(names: Sequence[str | None]) -> list[str]:
    """The labels of columns in a plan, all different.

    Their names; `column_3` (from 0) for one without a name, `name#2` for a repeated one.
    """
    times: dict[str, int] = {}
    out: dict[str, None] = {}
    for i, name in enumerate(names):
        text = label = name if name else f"column_{i}"
        while label in out:
            times[text] = times.get(text, 1) + 1
            label = f"{text}#{times[text]}"
        out[label] = None
    return list(out)


def labelled(tables: Iterable[TablePlan]) -> Iterator[tuple[str, Action]]:
    """What plans do with each column, by its place for people: source, table and label."""
    for table in tables:
        where = f"{table.source}, table {table.table}" if table.table else table.source
        for label, action in zip(labels([a.name for a in table.columns]), table.columns, strict=True):
            yield f"{where}: {label}", action


def dumps(plan: Plan) -> str:
    """The plan as TOML."""
    short = plan_groups.grouped(_long(plan))
    once = _said_once(plan, short)
    lines = [_comment(line) for line in (*_INTRODUCTION, *plan.notes)]
    lines += ["", *(_entry(key, short[key]) for key in short if key not in ("defaults", "spans", "tables"))]
    for section, what in (("defaults", _DEFAULTS), ("spans", _SPANS)):
        if section in short:
            lines += ["", f"[{section}]  {_comment(what)}"]
            for key, value in short[section].items():
                notes = once.get(key, ()) if section == "defaults" else ()
                lines += [_entry(key, value) + _behind(notes)]
    for table, written in zip(plan.tables, short["tables"], strict=True):
        lines += ["", *_table(table, written, short.get("defaults", {}), once)]
    return "\n".join(lines) + "\n"


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


def _long(plan: Plan) -> dict[str, Any]:
    """The plan as a dictionary in which every column says everything."""
    out: dict[str, Any] = {"version": VERSION, "policy": plan.policy}
    if plan.key_ids:
        out["key_ids"] = list(plan.key_ids)
    out["rules_digest"] = plan.rules_digest
    if plan.vault is not None:
        out["vault"] = plan.vault
    if plan.hashed_keys:
        out["hashed_keys"] = True
    if plan.locale != "person":
        out["locale"] = plan.locale
    if plan.lists:
        out["lists"] = dict(sorted(plan.lists.items()))
    out["spans"] = [
        {"entity": s.entity, "operator": s.operator, "with": s.params, "domain": s.domain, "decided_by": s.decided_by}
        for s in plan.spans
    ]
    out["tables"] = [_long_table(t) for t in plan.tables]
    return out


def _long_table(plan: TablePlan) -> dict[str, Any]:
    names = labels([a.name for a in plan.columns])
    return {
        "source": plan.source,
        **({} if plan.table is None else {"table": plan.table}),
        **({"drop_rows": [dict(c) for c in plan.drop_rows]} if plan.drop_rows else {}),
        "subjects": [_subject(s, names) for s in plan.subjects],
        "columns": [_column(a, name) for a, name in zip(plan.columns, names, strict=True)],
    }


def _subject(s: Subject, names: Sequence[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "name": s.name,
        "keys": [[names[i] for i in key] for key in s.keys],
        "everywhere": [names[i] for i in s.everywhere],
        "as_masked": [names[i] for i in s.as_masked],
        "locale": s.locale,
        "scope": s.scope,
        **{k: names[i] for k, i in s.by_part.items()},
        "look": s.look,
        "meaning": s.meaning,
        **_human(s),
    }
    return {key: value for key, value in fields.items() if value not in ("", {}, [])}


def _column(action: Action, name: str) -> dict[str, Any]:
    return {
        "column": name,
        "dtype": action.dtype,
        "entity": action.entity,
        "pii": action.pii,
        "operator": action.operator,
        "with": action.params,
        "domain": action.domain,
        "accept_frequency": action.accept_frequency,
        "decided_by": action.decided_by,
        "subject": action.subject,
        "rename": action.rename,
    }


def _human(decided: Subject | Span) -> dict[str, str]:
    return {"decided_by": "human"} if decided.decided_by == "human" else {}


def _table(
    plan: TablePlan, written: Mapping[str, Any], defaults: Mapping[str, Any], once: Mapping[str, Sequence[str]]
) -> Iterable[str]:
    yield "[[tables]]"
    yield from map(_comment, plan.notes)
    for key in ("source", "table", "drop_rows"):
        if key in written:
            yield _entry(key, written[key])
    for subject, fields in zip(plan.subjects, written["subjects"].values(), strict=True):
        yield _entry(subject.name, fields, "subjects.") + _behind(subject.notes)
    if plan.columns:
        yield "[tables.columns]"
    for action, (label, fields) in zip(plan.columns, written["columns"].items(), strict=True):
        said = once.get(_line_of(action.entity, defaults), ()) if "operator" not in fields else ()
        yield _entry(label, fields) + _behind([note for note in action.notes if note not in said])


def _said_once(plan: Plan, short: Mapping[str, Any]) -> dict[str, list[str]]:
    """Line of the defaults → the notes that all its columns share, where there are several columns.

    The first note, what the scan found, stays with each column.
    """
    defaults = short.get("defaults", {})
    notes: dict[str, list[tuple[str, ...]]] = {}
    for table, written in zip(plan.tables, short["tables"], strict=True):
        for action, fields in zip(table.columns, written["columns"].values(), strict=True):
            if "operator" not in fields:
                notes.setdefault(_line_of(action.entity, defaults), []).append(action.notes[1:])
    out = {}
    for line, each in notes.items():
        times = Counter(note for some in each for note in dict.fromkeys(some))
        out[line] = [note for note in dict.fromkeys(each[0]) if times[note] == len(each) > 1]
    return out


def _line_of(entity: str | None, defaults: Mapping[str, Any]) -> str:
    """The key of the line in the defaults that decides for an entity."""
    kind = entity or plan_groups.OTHER
    return kind if kind in defaults else next(k for k, v in defaults.items() if isinstance(v, list) and kind in v)


def _entry(key: str, value: Any, prefix: str = "") -> str:
    line = f"{prefix}{_key(key)} = {_value(value)}"
    if len(line) <= _WIDTH or not isinstance(value, list) or any(isinstance(v, Mapping) for v in value):
        return line
    rows: list[str] = []
    row = " "
    for each in value:
        item = f" {_value(each)},"
        if len(row) + len(item) > _WIDTH:
            rows, row = [*rows, row], " "
        row += item
    return "\n".join((f"{prefix}{_key(key)} = [", *rows, row, "]"))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """On one line, with what is within it."""
    import tomlkit

    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(str(key))} = {_value(held)}" for key, held in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(tomlkit.item(value).as_string())


def _behind(notes: Iterable[str]) -> str:
    """A comment at the end of a line."""
    text = APART.join(notes)
    return f"  {_comment(text)}" if text else ""


def _comment(note: str) -> str:
    """One line: a note may hold a policy's line ends, or signs of a header that TOML doesn't allow."""
    return "# " + " ".join("".join(c if c.isprintable() else " " for c in note).split())
