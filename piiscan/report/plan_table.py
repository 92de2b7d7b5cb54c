"""A plan as a table for people: kept columns first, since they are the risk."""

from __future__ import annotations

import textwrap
from typing import Final

from piiscan.masking.plan.plan_types import Action, Plan
from piiscan.masking.plan.plan_writer import APART, labels
from piiscan.report.verdict_words import count, printable

_HEADER: Final = ("table", "column", "entity", "class", "operator", "why")
_RISK: Final = ("direct", "sensitive", "quasi", "none")
"""Classes of kept columns, the worst first."""
_NARROWEST: Final = 24
"""Characters of reasons beside the other cells; in less room they follow in lines of their own."""
_RANKS: Final = (
    "rank attack: the share of cells whose value, or person, an attacker guesses who knows only how common each one is."
)


def plan_table(plan: Plan, width: int | None = None) -> str:
    """Return a line for every column: kept ones by class, then the others by operator.

    Parameters are left out, since they may name values. With a `width`, as that of a terminal, reasons are wrapped
    below their own column; without one every column has one line, which other programs can read.
    """
    rows = [
        (action, (f"{t.source}::{t.table}" if t.table else t.source, label, *_cells(action)))
        for t in plan.tables
        for action, label in zip(t.columns, labels([a.name for a in t.columns]), strict=True)
    ]
    rows.sort(key=lambda row: _order(row[0]))
    texts = [_HEADER, *(tuple(map(printable, cells)) for _, cells in rows)]
    widths = [max(len(row[i]) for row in texts) for i in range(len(_HEADER) - 1)]
    kept = sum(action.operator == "keep" for action, _ in rows)
    said = (
        f"{count(len(rows), 'column')} of {count(len(plan.tables), 'table')} by the policy {plan.policy}, {kept} kept."
    )
    lines = [printable(said)]
    if rows:
        lines += ["", *(line for row in texts for line in _lines(row, widths, width))]
    if any("rank attack" in line for line in lines):
        lines += ["", *(textwrap.wrap(_RANKS, width) if width else [_RANKS])]
    return "\n".join(lines) + "\n"


def _order(action: Action) -> tuple[bool, int, str]:
    kept = action.operator == "keep"
    return not kept, _RISK.index(action.pii) if kept else 0, action.operator


def _cells(action: Action) -> tuple[str, str, str, str]:
    why = list(action.notes)
    if action.decided_by == "human":
        why.insert(0, "decided by a person")
    return action.entity or "-", action.pii, action.operator, APART.join(why)


def _lines(row: tuple[str, ...], widths: list[int], width: int | None) -> list[str]:
    """Return a row as a line, or as several if its reasons have to be wrapped."""
    cells = "".join(f"{cell:{size}}  " for cell, size in zip(row, widths, strict=False))
    if width is None or len(cells) + len(row[-1]) <= width:
        return [(cells + row[-1]).rstrip()]
    if width - len(cells) >= _NARROWEST:
        first, *others = textwrap.wrap(row[-1], width - len(cells))
        return [cells + first, *(" " * len(cells) + part for part in others)]
    below = textwrap.wrap(row[-1], max(width, _NARROWEST), initial_indent="    ", subsequent_indent="    ")
    return [cells.rstrip(), *below]
