"""Compares a frame with its masked form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from piiscan.api.fitted_frames import fitted_to
from piiscan.api.frame_tables import read_held, whole
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.io.struct_frames import opened
from piiscan.masking.apply.planned_cells import as_planned
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.information_loss.loss_figures import Compared, of_table
from piiscan.masking.information_loss.table_loss import Comparison
from piiscan.masking.plan import renames
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.plan.plan_writer import labels
from piiscan.masking.run import inside_cells
from piiscan.masking.run.match_plan import find


def compare_frames(before: Any, after: Any, plan: Plan, table: str | None = None) -> Compared:
    """Report what masking by `plan` changed in a frame.

    table: which of the plan's tables it is, if there are several. Raises `UsageError` if `after` can't be `before`
    masked by this plan: other columns, or another number of rows.
    """
    given = opened(before)
    info, old = whole(read_held(given.frame))
    found = find(plan, info if table is None else info._replace(source=table))
    actions, _ = fitted_to(found, info, old, given.structs)
    old = as_planned(old, actions)
    stay = [a for a, _ in renames.left(actions.columns, actions.source)]
    left = [a.rename or info.fields[a.index].name for a in stay]
    masked_info, new = _masked(after, left)
    if [f.name for f in masked_info.fields] != left:
        raise UsageError("the second frame doesn't have the columns that the plan leaves of the first one")
    kept = _kept(actions, old)
    if len(new) != (len(old) if kept is None else int(kept.sum() or 0)):
        raise UsageError("the second frame doesn't have the number of rows that the plan leaves of the first one")
    names = labels([a.name for a in actions.columns])
    for i, a in enumerate(stay):
        if a.operator == "keep" and not _same(old[str(a.index)], new[str(i)], kept):
            raise UsageError(
                f"column {names[a.index]}: the plan keeps it unchanged, and its cells differ in the second frame; "
                "that frame wasn't masked by this plan"
            )
    masked = {a.index: _spread(new[str(i)], kept) for i, a in enumerate(stay) if a.operator != "keep"}
    comparison = Comparison(actions)
    comparison.see(old, masked, kept, 0)
    return Compared(info, info if table is None else info._replace(source=table), actions, of_table(comparison))


def _masked(frame: Any, names: Sequence[str | None]) -> tuple[TableInfo, pl.DataFrame]:
    """Read a masked frame, whose texts are laid out as the columns with these `names` say.

    Masked maps are texts of JSON, which nothing is derived of.
    """
    held = read_held(opened(frame).frame, ())
    derived = inside_cells.by_names(names, held.own.info.fields, held.cells)
    return whole(inside_cells.held(held.own, held.cells, derived))


def _kept(plan: TablePlan, frame: pl.DataFrame) -> pl.Series | None:
    """Return which rows the plan leaves; this needs no key."""
    rows_only = replace(
        plan, columns=tuple(replace(a, operator="keep", params={}, subject=None) for a in plan.columns), subjects=()
    )
    return TableMasker(rows_only, (), None).kept_rows(frame)


def _same(before: pl.Series, after: pl.Series, kept: pl.Series | None) -> bool:
    """Return whether the remaining rows have the same cells.

    Columns whose type has changed, as on the way through a file, aren't compared.
    """
    before = before if kept is None else before.filter(kept)
    return before.dtype != after.dtype or before.equals(after, null_equal=True)


def _spread(cells: pl.Series, kept: pl.Series | None) -> pl.Series:
    """Place the cells of the remaining rows among all rows."""
    if kept is None:
        return cells
    at = (kept.cast(pl.Int64).cum_sum() - 1).clip(lower_bound=0)
    return cells.gather(at) if len(cells) else cells.extend_constant(None, len(kept))
