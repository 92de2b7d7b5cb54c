"""What a scan finds in columns that a plan keeps, where data have changed since the plan was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import ColumnReport, Table
from piiscan.io.content import ReadTable
from piiscan.masking.plan.plan_types import Action
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine

NOTHING_NEW: Final = "a scan finds no direct identifier that the plan doesn't know"


def may_have(action: Action) -> bool:
    """Whether a column is kept because nothing direct was known of it, and no human decided so."""
    return action.operator == "keep" and action.decided_by == "policy" and action.pii != "direct"


def found(
    table: Table, kept: Mapping[int, Action], source: str, rules: RuleSet, options: engine.ScanOptions
) -> Iterator[tuple[int, int]]:
    """The columns, of those that are `kept`, which a scan of the table calls direct, and in how many cells.

    `source`: what the configuration calls it.
    """
    named = ReadTable(table.info._replace(source=source), table.batches)
    (report,) = engine.scan_tables([named], rules, options._replace(data_sets=False)).tables
    for index, action in kept.items():
        if cells := _direct(report.columns[index], action, report.rows):
            yield index, cells


def _direct(column: ColumnReport, action: Action, rows: int) -> int:
    """In how many cells a column has direct identifiers that aren't reserved, and of which its plan knows nothing."""
    if column.pii == "direct" and not column.quiet and column.entity != action.entity:
        return rows - column.nulls
    inside = [
        entry.cells
        for entry in column.inside
        if PII_CLASS.get(entry.entity) == "direct" and not entry.quiet and entry.entity != action.entity
    ]
    return max(inside, default=0)
