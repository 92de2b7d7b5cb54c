"""The Python interface: aggregates of a frame or a file, and rows out of aggregates."""

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
from piiscan.dp.declare import Declared, domains
from piiscan.dp.request import Request as Question
from piiscan.dp.request import check_unit
from piiscan.dp.run import schema as schemas
from piiscan.dp.run.accounts import account_of
from piiscan.dp.run.release_log import account
from piiscan.dp.run.summarize_table import summarize_table
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.rules import rule_sets
from piiscan.scanning.engine import ScanOptions


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
) -> Aggregates:
    """Count, means, standard deviations and correlations of `columns` in each group by `by`, of a data frame or of the
    file at a path.

    min_group: a group has so many units at least (`unit`: the column that says whose a row is; else each row is a
    unit). p_percent, dominance: see `piiscan.aggregates.disclosure_rules.Rules`. totals: "all", over each of one or two
    columns and over everything; "nested", over the last column, the last two, …. Groups that fail a rule are withheld,
    and others with them where totals would give them away. Rows in which a number is missing aren't counted.
    dataset, version, ledger: where the release is noted; see `piiscan.dp.run.release_log.account`.

    Raises `UsageError` where a column isn't one of numbers, a direct identifier would be printed, or no group may be
    published; and `ReadError`.

    >>> import piiscan, polars as pl
    >>> pay = [100 + i % 7 for i in range(40)]
    >>> people = pl.DataFrame({"dept": ["a"] * 20 + ["b"] * 20, "age": range(20, 60), "pay": pay})
    >>> done = piiscan.aggregate(people, by="dept", columns=["age", "pay"])
    >>> [(group.key, group.count, group.mean[0]) for group in done.groups]
    [(('a',), 20, 29.5), (('b',), 20, 49.5)]
    """
    source = Source(data, table)
    wanted = AggregateRequest(_several(by), _several(columns), Rules(min_group, p_percent, dominance), unit, totals)
    return aggregate_and_note(
        source, wanted, rule_sets.load(()), ScanOptions(), account(source, dataset, version, ledger)
    )


def aggregate_privately(
    data: Any,
    by: str | Sequence[str],
    columns: str | Sequence[str],
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
    schema: str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    version: str = "",
    budget: float | None = None,
    ledger: str | os.PathLike[str] | None = None,
    table: str | None = None,
    read: ReadOptions | None = None,
    progress: Progress | None = None,
) -> Aggregates:
    """As `aggregate`, with differential privacy: noise on the sums, and no suppression, as the groups are public. The
    parameters are those of `piiscan.summarize`.

    Guarantee: see `piiscan.dp.run.summarize_table.summarize_table`. Raises `MissingExtra`, `BudgetError`, `UsageError`
    and `ReadError`.
    """
    check_unit(unit, one_row_per_person)
    source, wanted = (
        Source(data, table, read or ReadOptions()),
        AggregateRequest(_several(by), _several(columns), unit=unit),
    )
    book, name = account_of(source, dataset, ledger)
    declared = schemas.with_file(Declared(bounds or {}, edges or {}, categories or {}, entities or {}), schema)
    question = Question(
        dataset=name,
        version=version,
        columns=domains(declared, wanted.columns, wanted.by),
        epsilon=float(epsilon),
        delta=float(delta),
        unit=unit,
        max_rows=max_rows,
        by=(wanted.by,),
        table=table,
        moments=True,
    )
    return result.from_dict(
        summarize_table(source, question, book, budget, progress, private_aggregates.release).to_dict()
    )


def unpack(aggregates: Aggregates | str | os.PathLike[str], *, seed: int) -> Any:
    """A polars frame of drawn rows whose groups have the count, means, standard deviations and correlations of the
    aggregates.

    aggregates: what `aggregate` gave, or a file of it. Nobody's row is among them, and nothing but the moments is true
    of them: see docs/aggregates.md.

    >>> import piiscan, polars as pl
    >>> people = pl.DataFrame({"dept": ["a"] * 20, "age": range(20, 40)})
    >>> rows = piiscan.unpack(piiscan.aggregate(people, by="dept", columns="age"), seed=7)
    >>> len(rows), round(rows["age"].mean(), 9), round(rows["age"].std(), 9) == round(people["age"].std(), 9)
    (20, 29.5, True)
    """
    found = aggregates if isinstance(aggregates, Aggregates) else result.read(Path(aggregates))
    return unpacking.unpacked(found, seed).frame


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
