"""The comments of a plan's text, which say why: what people read beside a column, its default's included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from piiscan.masking.plan.plan_groups import OTHER
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.plan.plan_writer import APART, labels


def with_comments(plan: Plan, text: str) -> Plan:
    """The plan of this text with its comments as notes of columns."""
    import tomlkit

    document: Any = tomlkit.parse(text)
    defaults = document.get("defaults", {})
    usual = {kind: _behind(held) for key, held in defaults.items() for kind in (held if _is_list(held) else [key])}
    tables = document.get("tables", [])
    return replace(plan, tables=tuple(_table(t, tables[i], usual) for i, t in enumerate(plan.tables)))


def _table(plan: TablePlan, written: Any, usual: Mapping[str, tuple[str, ...]]) -> TablePlan:
    columns = []
    for action, label in zip(plan.columns, labels([a.name for a in plan.columns]), strict=True):
        if _is_list(written["columns"]):
            notes = _above(written["columns"][action.index])
        else:
            own = written["columns"][label]
            notes = _behind(own) + (() if "operator" in own else usual.get(action.entity or OTHER, ()))
        columns.append(replace(action, notes=notes))
    return replace(plan, columns=tuple(columns))


def _is_list(item: Any) -> bool:
    return isinstance(item, list)


def _behind(item: Any) -> tuple[str, ...]:
    """A comment at the end of a line, note by note."""
    trivia = getattr(item, "trivia", None)  # a table that is written in pieces has none
    text = trivia.comment.lstrip("#").strip() if trivia else ""
    return tuple(text.split(APART)) if text else ()


def _above(table: Any) -> tuple[str, ...]:
    """Comments before a table's first entry, as version 1 has them."""
    out = []
    for key, item in table.value.body:
        if key is not None:
            break
        if comment := item.as_string().strip().lstrip("#").strip():
            out.append(comment)
    return tuple(out)
