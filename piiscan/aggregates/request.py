"""What is aggregated: figures of columns by groups."""

from __future__ import annotations

from dataclasses import dataclass, field

from piiscan.aggregates.disclosure_rules import Rules
from piiscan.aggregates.suppression import Families, Totals
from piiscan.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class AggregateRequest:
    """What is aggregated: figures of `columns` by the groups of `by`. unit: the column that says whose a row is;
    None: each row is a unit. Raises `UsageError`."""

    by: tuple[str, ...]
    columns: tuple[str, ...]
    rules: Rules = field(default_factory=Rules)
    unit: str | None = None
    totals: Totals | None = None

    def __post_init__(self) -> None:
        if not self.by or not self.columns:
            raise UsageError("aggregates are of --columns, by the groups of --by; name one column of each at least")
        names = [*self.by, *self.columns, *([] if self.unit is None else [self.unit])]
        if twice := [n for n in names if names.count(n) > 1]:
            raise UsageError(f"column {twice[0]} is named twice; groups, figures and the unit are of different columns")
        if self.totals not in (None, "all", "nested"):
            raise UsageError("totals are all or nested")
        Families.of(len(self.by), self.totals)
