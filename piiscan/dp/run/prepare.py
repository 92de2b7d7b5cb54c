"""The Python interface: a summary of a frame or a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, ParamSpec

from piiscan.dp import noise
from piiscan.dp.declare import Declared, domains
from piiscan.dp.ledger import Ledger
from piiscan.dp.queries import costs
from piiscan.dp.request import QUARTILES, STATISTICS, Request, Statistic, check_unit
from piiscan.dp.run import schema as schemas
from piiscan.dp.run.accounts import account_of
from piiscan.dp.run.summarize_table import Summary, summarize_table
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source

P = ParamSpec("P")


class Asked(NamedTuple):
    """A question that was looked at, and isn't answered yet: nothing has been read of the data."""

    source: Source
    request: Request
    ledger: Ledger
    budget: float | None
    progress: Callable[[str, int], None] | None

    def check(self) -> None:
        """Raises `MissingExtra` and `BudgetError` where `answered` would, before the long work."""
        noise.require()
        price = costs(self.request)
        if self.ledger.stored(self.request.canonical(price.share.mechanism)) is None:
            self.ledger.check(self.request.dataset, price.loss, self.budget)

    def answered(self) -> Summary:
        return summarize_table(*self)


def asked(
    data: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    unit: str | None = None,
    one_row_per_person: bool = False,
    max_rows: int = 1,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    entities: Mapping[str, str] | None = None,
    estimate_bounds: Sequence[str] = (),
    private_keys: Sequence[str] = (),
    schema: str | os.PathLike[str] | None = None,
    columns: Sequence[str] = (),
    statistics: Sequence[Statistic] = STATISTICS,
    quantiles: Sequence[float] = QUARTILES,
    by: Sequence[Sequence[str]] = (),
    cross: Sequence[Sequence[str]] = (),
    dataset: str | None = None,
    version: str = "",
    budget: float | None = None,
    ledger: str | os.PathLike[str] | None = None,
    table: str | None = None,
    read: ReadOptions | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Asked:
    """A differentially private summary of a data frame, or of the file at a path, charged to the dataset's budget.

    `epsilon` and `delta` are totals for all that is asked. Neighbouring tables differ by one `unit` (the column that
    says whose a row is), of whose rows `max_rows` count, or by one row with `one_row_per_person`. What values can be is
    public and declared: `bounds` of numbers (and `edges` of bins between them), `categories`, `entities` the registry
    knows, a `schema` file; or it costs: `estimate_bounds`, `private_keys`.
    `by`: groups to tell statistics of; `cross`: tables of counts. `dataset` names whose budget it is, by default a file
    by its name; `budget` fixes its ε at its first use; `ledger` is where that is kept, by default beside the file.

    Guarantee: see `summarize_table`. Raises `MissingExtra`, `BudgetError`, `UsageError` and `ReadError`.
    """
    check_unit(unit, one_row_per_person)
    source = Source(data, table, read or ReadOptions())
    book, name = account_of(source, dataset, ledger)
    told = schemas.with_file(
        Declared(bounds or {}, edges or {}, categories or {}, entities or {}, estimate_bounds, private_keys), schema
    )
    groups = tuple(map(tuple, by)), tuple(map(tuple, cross))
    request = Request(
        dataset=name,
        version=version,
        columns=domains(told, columns, [name for group in (*groups[0], *groups[1]) for name in group]),
        epsilon=float(epsilon),
        delta=float(delta),
        unit=unit,
        max_rows=max_rows,
        statistics=tuple(s for s in STATISTICS if s in statistics)
        if set(statistics) <= set(STATISTICS)
        else tuple(statistics),
        quantiles=tuple(sorted(set(map(float, quantiles)))),
        by=groups[0],
        cross=groups[1],
        table=table,
    )
    return Asked(source, request, book, budget, progress)


def _answering(ask: Callable[P, Asked]) -> Callable[P, Summary]:
    @wraps(ask)
    def summarize(*args: P.args, **kwargs: P.kwargs) -> Summary:
        return ask(*args, **kwargs).answered()

    summarize.__name__ = summarize.__qualname__ = "summarize"
    summarize.__signature__ = signature(ask).replace(return_annotation="Summary")  # type: ignore[attr-defined]
    return summarize


summarize = _answering(asked)
