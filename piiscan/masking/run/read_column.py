"""One column of a file, by the name that a plan gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import InName, NotScanned, Skipped, Table
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.masking.plan.plan_toml import labels
from piiscan.rules.definitions import RuleSet, suggestion
from piiscan.scanning import printable_names

if TYPE_CHECKING:
    import polars as pl


def column(source: str, name: str, read: ReadOptions, rules: RuleSet) -> pl.Series:
    """All cells of a column, in memory; `name` is its label, or "TABLE::LABEL".

    Raises `UsageError` where there is no such column or several tables have it, `ReadError` for what can't be read.
    """
    import polars as pl

    found: list[tuple[Table, int]] = []
    known: list[str] = []
    for item in inputs.discover([source], read):
        if isinstance(item, NotScanned):
            raise ReadError(f"{source}: {item.reason}")
        if isinstance(item, Skipped | InName):
            continue
        shown = printable_names.printable(item.info, rules)
        here = labels([f.name for f in shown.fields])
        found += [(item, i) for i, label in enumerate(here) if name in (label, f"{shown.table}::{label}")]
        known += here
    if not found:
        raise UsageError(f"{source}: no column {name}{suggestion(name, known)}")
    if len(found) > 1:
        raise UsageError(f"{source}: several tables have a column {name}; write FILE::TABLE::COLUMN")
    ((table, i),) = found
    parts = [batch.frame[str(i)] for batch in table.batches()]
    return pl.concat(parts) if parts else pl.Series([], dtype=pl.String)
