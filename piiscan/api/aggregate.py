"""The Python interface: aggregates of a frame or a file, and rows drawn from aggregates."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from piiscan.aggregates import private_aggregates, result, unpacking
from piiscan.aggregates.disclosure_rules import Rules
from piiscan.aggregates.request import AggregateRequest
from piiscan.aggregates.result import Aggregates
from piiscan.aggregates.run import Progress, aggregate_and_note
from piiscan.aggregates.suppression import Totals
from piiscan.api.table_input import several, table_source
from piiscan.api.verbs import verb
from piiscan.core.errors import UsageError
from piiscan.dp.declare import Declared, domains
from piiscan.dp.privacy import Privacy
from piiscan.dp.request import QUARTILES, STATISTICS
from piiscan.dp.run import schema as schemas
from piiscan.dp.run.accounts import private_request
from piiscan.dp.run.release_log import find_release_log
from piiscan.dp.run.summarize_table import charge_and_summarize
from piiscan.rules import rule_sets
from piiscan.scanning.scan_options import ScanOptions


@verb
def aggregate(
    data: Any,
    by: str | Sequence[str],
    columns: str | Sequence[str],
    *,
    min_group: int = 10,
    p_percent: float = 10.0,
    dominance: tuple[int, float] | None = None,
    unit: str | None = None,
    totals: Totals | None = None,
    dataset: str | None = None,
    version: str = "",
    ledger: str | os.PathLike[str] | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Aggregates:
    """Publish count, means, standard deviations and correlations of `columns` in each group by `by`.

    data: a data frame, or the path of a file. min_group: the smallest number of units in a published group (`unit`:
    the column that identifies the person or other unit a row belongs to; without it, each row is a unit). p_percent,
    dominance: see `piiscan.aggregates.disclosure_rules.Rules`. totals: "all", over each of one or two columns and
    over everything; "nested", over the last column, the last two, …. Groups that fail a rule are withheld, and so are
    others if totals would disclose them. Rows in which a number is missing aren't counted.
    dataset, version, ledger: where the release is recorded; see `piiscan.dp.run.release_log.find_release_log`.
    table: which of a file's tables to read, if it has several. delimiter, encoding, header: how a file's text is
    written; None to infer.

    Raises `UsageError` if a column isn't numeric, a direct identifier would be printed, or no group may be published;
    and `ReadError`.

    >>> import piiscan, polars as pl
    >>> pay = [100 + i % 7 for i in range(40)]
    >>> people = pl.DataFrame({"dept": ["a"] * 20 + ["b"] * 20, "age": range(20, 60), "pay": pay})
    >>> done = piiscan.aggregate(people, by="dept", columns=["age", "pay"])
    >>> [(group.key, group.count, group.mean[0]) for group in done.groups]
    [(('a',), 20, 29.5), (('b',), 20, 49.5)]
    """
    source = table_source(data, table, delimiter, encoding, header)
    request = AggregateRequest(several(by), several(columns), Rules(min_group, p_percent, dominance), unit, totals)
    log = find_release_log(source, dataset, version, ledger)
    return aggregate_and_note(source, request, rule_sets.load(()), ScanOptions(), log)


@verb
def aggregate_privately(
    data: Any,
    by: str | Sequence[str],
    columns: str | Sequence[str],
    privacy: Privacy,
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    entities: Mapping[str, str] | None = None,
    schema: str | os.PathLike[str] | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
) -> Aggregates:
    """Publish aggregates like `aggregate`, with differential privacy.

    The sums get noise, and no group is withheld, as the groups are public. The declarations of columns, and
    `privacy`, are as in `piiscan.summarize`.

    Guarantee: see `piiscan.dp.run.summarize_table.charge_and_summarize`. Raises `MissingExtra`, `BudgetError`,
    `UsageError` and `ReadError`.
    """
    source = table_source(data, table, delimiter, encoding, header)
    groups = AggregateRequest(several(by), several(columns), unit=privacy.unit)
    declared = schemas.with_file(Declared(bounds or {}, edges or {}, categories or {}, entities or {}), schema)
    request, ledger = private_request(
        source,
        privacy,
        domains(declared, groups.columns, groups.by),
        statistics=STATISTICS,
        quantiles=QUARTILES,
        by=(groups.by,),
        moments=True,
    )
    summary = charge_and_summarize(source, request, ledger, privacy.budget, progress, private_aggregates.release)
    return result.from_dict(summary.to_dict())


@verb
def unpack(aggregates: Aggregates | str | os.PathLike[str], *, seed: int) -> Any:
    """Draw rows whose groups have the count, means, standard deviations and correlations of the aggregates.

    aggregates: the result of `aggregate`, or the path of a file with it. Returns a polars frame. The rows are made
    up, not people's rows; they preserve only these moments: see docs/aggregates.md.

    >>> import piiscan, polars as pl
    >>> people = pl.DataFrame({"dept": ["a"] * 20, "age": range(20, 40)})
    >>> rows = piiscan.unpack(piiscan.aggregate(people, by="dept", columns="age"), seed=7)
    >>> len(rows), round(rows["age"].mean(), 9), round(rows["age"].std(), 9) == round(people["age"].std(), 9)
    (20, 29.5, True)
    """
    if not isinstance(aggregates, Aggregates | str | os.PathLike):
        raise UsageError(
            f"aggregates must be a piiscan.Aggregates or a path, not an object of type {type(aggregates).__name__}"
        )
    found = aggregates if isinstance(aggregates, Aggregates) else result.read(Path(aggregates))
    return unpacking.unpacked(found, seed).frame
