"""Fits a table's plan to the columns of a frame, which may be nested where the plan's were not."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

import polars as pl

from piiscan.core.frames_by_name import frame_of
from piiscan.core.types import TableInfo
from piiscan.io import inputs
from piiscan.io.frames import unique_names
from piiscan.masking.plan.plan_types import Action, TablePlan
from piiscan.masking.run import match_plan
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions


def fitted_to(
    table: TablePlan, info: TableInfo, cells: pl.DataFrame, structs: Set[str], new_columns: str = "error"
) -> tuple[TablePlan, bool]:
    """Return the plan in the order of a frame's columns, and whether these cells decided which `structs` are kept.

    Raises `UsageError` for columns that the plan doesn't fit.
    """
    whole = _with_fields(table, info, cells, structs)
    return match_plan.fitted(whole, info, new_columns), whole is not table


def _with_fields(table: TablePlan, info: TableInfo, cells: pl.DataFrame, structs: Set[str]) -> TablePlan:
    """Return the plan with the fields of structs, and of lists of structs, in place of columns that it keeps.

    Fields that contain personal data are left out, since the plan doesn't decide on them.
    """
    kept = {a.name: a.index for a in table.columns if a.operator == "keep" and a.name and a.rename is None}
    here = {f.name for f in info.fields}
    people = {i for s in table.subjects for i in s.source_columns}
    gone = {n for n in structs - here if n in kept and kept[n] not in people}
    fields = _fields(info, {a.name for a in table.columns}, gone, kept.keys())
    if not fields:
        return table
    new = 1 + max(a.index for a in table.columns)
    added = (
        Action(new + i, info.fields[i].name, info.fields[i].dtype, None, "none", "keep")
        for i in _impersonal(fields, info, cells)
    )
    return replace(table, columns=(*(a for a in table.columns if a.name not in gone), *added))


def _fields(info: TableInfo, planned: Set[str | None], structs: Set[str], lists: Set[str]) -> list[int]:
    """Return the unplanned columns that are fields of these structs, or of the content of these lists."""
    found = []
    for i, field in enumerate(info.fields):
        name = field.name or ""
        below = field.parent is not None and info.fields[field.parent].name in lists
        if name not in planned and (below or any(name.startswith(f"{struct}.") for struct in structs)):
            found.append(i)
    return found


def _impersonal(fields: Sequence[int], info: TableInfo, cells: pl.DataFrame) -> list[int]:
    names = unique_names([info.fields[i].name or "" for i in fields])
    frame = frame_of(cells[str(i)].alias(name) for i, name in zip(fields, names, strict=True))
    report = engine.scan_tables([inputs.from_frame(frame, texts=False)], rule_sets.shipped().rules, ScanOptions())
    judged = report.tables[0].columns
    return [i for i, c in zip(fields, judged, strict=True) if c.pii == "none" and not c.inside]
