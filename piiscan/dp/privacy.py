"""What one release may cost, whose privacy it is, and where that is kept."""

from __future__ import annotations

import os
from dataclasses import dataclass

from piiscan.core.interface import speaks_python
from piiscan.dp.request import check_unit


@dataclass(frozen=True, kw_only=True)
class Privacy:
    """`epsilon` and `delta` are totals for one release: a summary, synthetic rows, aggregates, or a fit. Neighbouring
    tables differ by one `unit` (the column that says whose a row is), of whose rows `max_rows` count, or by one row
    with `one_row_per_person`; one of them is required. `dataset` names whose budget it is, by default a file by its
    name, and `version` a state of it; `budget` fixes its ε at its first use; `ledger` is where that is kept, by default
    beside the file.

    Raises `UsageError` where it isn't said whose the rows are.
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
        check_unit(self.unit, self.one_row_per_person)
