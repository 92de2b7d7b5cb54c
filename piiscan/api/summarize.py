"""The Python interface: a differentially private summary of a frame or a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from piiscan.api.person_rows import refuse_repeated_persons
from piiscan.api.table_input import several, table_source
from piiscan.api.verbs import verb
from piiscan.dp.privacy import Privacy
from piiscan.dp.request import QUARTILES, STATISTICS, Statistic
from piiscan.dp.run.prepare import SummaryQuestions, prepare_summary
from piiscan.dp.run.summarize_table import Progress, Summary


@verb
def summarize(
    data: Any,
    privacy: Privacy,
    *,
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
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Release a differentially private summary of a data frame or a file, and charge the dataset's budget.

    privacy: the total cost, whose rows they are, and where the budget is kept. The possible values of columns are
    public and declared: `bounds` of numbers (and `edges` of bins between them), `categories`, `entities` that the
    registry knows, a `schema` file; or they cost a part of the budget: `estimate_bounds`, `private_keys`. columns:
    only these of the declared ones. by: groups to report statistics of; cross: tables of counts.
    table: which of a file's tables to read, if it has several. delimiter, encoding, header: how a file's text is
    written; None to infer.

    Guarantee: see `piiscan.dp.run.summarize_table.charge_and_summarize`. Raises `MissingExtra`, `BudgetError`,
    `UsageError` (also if one row per person is declared and a person's number repeats), and `ReadError`.
    """
    questions = SummaryQuestions(
        bounds=bounds or {},
        edges=edges or {},
        categories=categories or {},
        entities=entities or {},
        estimate_bounds=estimate_bounds,
        private_keys=private_keys,
        schema=schema,
        columns=several(columns),
        statistics=statistics,
        quantiles=quantiles,
        by=by,
        cross=cross,
    )
    source = table_source(data, table, delimiter, encoding, header)
    query = prepare_summary(source, privacy, questions, progress)
    query.check()
    refuse_repeated_persons(source, privacy)
    return query.charge_and_execute()
