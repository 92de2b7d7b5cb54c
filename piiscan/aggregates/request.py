"""What is aggregated: figures of columns by groups."""

from __future__ import annotations

from dataclasses import dataclass, field

from piiscan.aggregates.disclosure_rules import Rules
from piiscan.aggregates.suppression import Families, Totals
from piiscan.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class AggregateRequest:
    """What is aggregated: figures of `columns` by the groups of `by`. Raises `UsageError` for contradictory settings.

    unit: the column that identifies the person (or other unit) a row belongs to; None: each row is a unit.
    """

    by: tuple[str, ...]
    columns: tuple[str, ...]
    rules: Rules = field(default_factory=Rules)
    unit: str | None = None
    totals: Totals | None = None

    def __post_init__(self) -> None:
        if not self.by or not self.columns:
            raise UsageError("name at least one column with --columns, and one with --by for the groups")
        names = [*self.by, *self.columns, *([] if self.unit is None else [self.unit])]
        if twice := [n for n in names if names.count(n) > 1]:
            raise UsageError(f"column {twice[0]} is named twice; groups, figures and the unit need different columns")
        if self.totals not in (None, "all", "nested"):
            raise UsageError("totals must be all or nested")
        Families.of(len(self.by), self.totals)
