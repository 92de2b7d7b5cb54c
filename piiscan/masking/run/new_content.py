"""What a scan finds in columns that a plan keeps, where data have changed since the plan was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import VerifyError
from piiscan.core.types import ColumnReport, Table, TableInfo
from piiscan.detection.matching.match_column import count
from piiscan.io.content import ReadTable
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan
from piiscan.masking.plan.policy import SHIPPED
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions

NOTHING_NEW: Final = "rules find no direct identifier that the plan doesn't know"
"""What rules find in texts, a scan judges; names of people, which it finds without rules, aren't looked for."""
REMEDY: Final = (
    'The data hold more than those from which the plan was made: make a new one, or set decided_by = "human" for '
    "columns that you keep knowingly"
)


def scan_of(plan: Plan, options: ScanOptions = ScanOptions()) -> ScanOptions | None:  # noqa: B008
    """How the columns that a plan keeps are scanned; None where its policy is a user's, who decides what is kept."""
    return options if plan.policy in SHIPPED else None


def may_have(action: Action) -> bool:
    """Whether a column is kept because nothing direct was known of it, and no human decided so."""
    return action.operator == "keep" and action.decided_by == "policy" and action.pii != "direct"


def demand_nothing_new(
    info: TableInfo, cells: pl.DataFrame, plan: TablePlan, rules: RuleSet, options: ScanOptions
) -> None:
    """Raise `VerifyError` where columns of a frame that a plan keeps hold direct identifiers that it doesn't know."""
    kept = {a.index: a for a in plan.columns if may_have(a) and _fires(cells[str(a.index)], rules)}
    if not kept:
        return
    table = ReadTable(info, lambda: iter([cells]))
    names = labels([action.name for action in plan.columns])
    for index, cells_found in found(table, kept, info.source, rules, options):
        raise VerifyError(
            "nothing is returned: a scan finds direct identifiers that the plan doesn't know in column "
            f"{names[index]}, in {cells_found:,} cells. {REMEDY}"
        )


def _fires(cells: pl.Series, rules: RuleSet) -> bool:
    """Whether a rule for direct identifiers finds something in texts."""
    while isinstance(cells.dtype, pl.List | pl.Array):
        cells = cells.explode()
    if cells.dtype != pl.String:
        return False
    prefilter = engine.prefilter_of(rules)
    hits = count(cells.drop_nulls().unique(), prefilter)
    return any(PII_CLASS[prefilter.compiled.patterns[rule].rule.entity] == "direct" for rule, _ in hits)


def found(
    table: Table, kept: Mapping[int, Action], source: str, rules: RuleSet, options: ScanOptions
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
