"""What a plan explains of masked files: columns whose cells all lie in the range of the operator that made them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import NotScanned, TableInfo
from piiscan.io.read_options import ReadOptions
from piiscan.masking.apply.column_masker import ColumnMasker
from piiscan.masking.apply.distinct_values import filled, flat
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.operators.operator import DECLARING
from piiscan.masking.plan.code_vaults import located
from piiscan.masking.plan.plan_types import Plan
from piiscan.masking.run.match_plan import find, masked_places, tables_below
from piiscan.rules.definitions import RuleSet

if TYPE_CHECKING:
    from piiscan.core.keys import Key
    from piiscan.core.types import Table

Place = tuple[str, str | None, int]
"""Source, table and column, as a report of a scan has them."""
BY_PLAN: Final = "surrogates by plan"
_NAMES: Final = frozenset(("PERSON", "FIRST_NAME", "LAST_NAME", "USERNAME", "EMAIL_ADDRESS", "URL"))


def explained(path: Path, plan: Plan, key: Key, rules: RuleSet, read: ReadOptions) -> dict[Place, str]:
    """For each column below `path` that the plan explains, why.

    Texts are explained by their operator alone: masks inside texts can't be distinguished from originals.
    """
    plan = located(plan)
    root = path if path.is_dir() else path.parent
    found: dict[Place, str] = {}
    for item in tables_below(path, root, rules, read):
        if isinstance(item, NotScanned):
            continue
        table, shown = item
        with suppress(UsageError, ReadError):  # of a table that the plan doesn't know nothing is explained
            for index, why in _columns(table, shown, plan, key):
                found[table.info.source, shown.table, index] = why
    return found


def _columns(table: Table, shown: TableInfo, plan: Plan, key: Key) -> Iterator[tuple[int, str]]:
    masker = TableMasker(find(plan, shown), plan.spans, key)
    columns = {place: masker.columns[i] for i, place in masked_places(masker.plan, shown).items()}
    checked = {i for i, c in columns.items() if c.operator.contract in DECLARING}
    for batch in table.batches():
        checked = {i for i in checked if _declares(columns[i], batch.frame[str(i)])}
    for i, column in columns.items():
        if column.action.operator == "spans" or (i in checked and column.action.entity in _NAMES):
            yield i, BY_PLAN
        elif i in checked:
            yield i, f"in the range of {column.action.operator}, by plan"


def _declares(column: ColumnMasker, cells: pl.Series) -> bool:
    values = filled(flat(cells)).drop_nulls().unique()
    try:
        return not len(values) or bool(column.operator.declares(values, column.key).all())
    except (UsageError, pl.exceptions.PolarsError):
        return False
