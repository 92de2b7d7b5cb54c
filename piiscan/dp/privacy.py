"""The cost of one release, whose privacy it protects, and where the budget is kept."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from piiscan.core.argument_kinds import demand
from piiscan.core.errors import UsageError
from piiscan.core.interface import speaks_python
from piiscan.dp.request import check_unit


@dataclass(frozen=True, kw_only=True)
class Privacy:
    """The privacy loss of one release, whom it protects, and the ledger that records it.

    epsilon, delta: the totals for one release: a summary, synthetic rows, aggregates, or a fit.
    unit: the column that identifies the person (or other unit) a row belongs to; one_row_per_person: each row belongs
    to a different person. One of them is required: neighbouring tables differ by one unit or by one row.
    max_rows: how many rows of a unit count.
    dataset: the name under which the budget is kept; by default the file's name. version: a state of the dataset.
    budget: the total ε of the dataset, fixed at its first use.
    ledger: the path of the ledger, by default beside the file.

    Raises `UsageError` if it doesn't say whose the rows are, and for values of other types.
    """

    epsilon: float
    delta: float = 0.0
    unit: str | None = None
    one_row_per_person: bool = False
    max_rows: int = 1
    dataset: str | None = None
    version: str = ""
    budget: float | None = None
    ledger: str | os.PathLike[str] | None = None

    @speaks_python
    def __post_init__(self) -> None:
        for field in fields(self):
            demand(field.name, field.type, getattr(self, field.name))
        check_unit(self.unit, self.one_row_per_person)


def demand_privacy(given: object) -> None:
    """Raise `UsageError` where something else than a `Privacy` says what a release costs."""
    if not isinstance(given, Privacy):
        raise UsageError(f"privacy must be a piiscan.Privacy, not an object of type {type(given).__name__}")
