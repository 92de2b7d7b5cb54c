"""What one fit may cost, whose privacy it is, and where that is kept."""

from __future__ import annotations

import os
from dataclasses import dataclass

from piiscan.dp.domains import Domain
from piiscan.dp.ledger import Ledger
from piiscan.dp.request import Request
from piiscan.summarizing.ask import account_of, check_unit
from piiscan.summarizing.source import Source


@dataclass(frozen=True, kw_only=True)
class Privacy:
    """`epsilon` and `delta` are totals for one fit. Neighbouring tables differ by one `unit` (the column that says whose a row is), of whose rows
    `max_rows` count, or by one row with `one_row_per_person`; one of them is required. `dataset` names whose budget it is, by default a file
    by its name, and `version` a state of it; `budget` fixes its ε at its first use; `ledger` is where that is kept, by default beside the
    file. `table`: which of a file's tables it is.
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
    table: str | None = None

    def request(self, source: Source, columns: tuple[tuple[str, Domain], ...]) -> tuple[Request, Ledger]:
        """All that is asked and public, but for the model; and where its budget is kept. Raises `UsageError` for what isn't said."""
        check_unit(self.unit, self.one_row_per_person)
        ledger, dataset = account_of(source, self.dataset, self.ledger)
        request = Request(
            dataset=dataset,
            version=self.version,
            columns=columns,
            epsilon=float(self.epsilon),
            delta=float(self.delta),
            unit=self.unit,
            max_rows=self.max_rows,
            statistics=(),
            quantiles=(),
            table=self.table,
        )
        return request, ledger
