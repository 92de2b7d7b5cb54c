"""Private releases of Spark data frames: exact sums on the workers, the charge and the noise on the driver alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

from piiscan.aggregates.disclosure_rules import Rules
from piiscan.aggregates.group_sums import Sums
from piiscan.aggregates.request import AggregateRequest
from piiscan.aggregates.result import Aggregates
from piiscan.aggregates.run import aggregate_sums, check_verdicts
from piiscan.aggregates.suppression import Totals
from piiscan.api.scan import Scanner
from piiscan.api.table_input import several
from piiscan.api.verbs import verb
from piiscan.core import memory
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.dp.declare import Declared, domains
from piiscan.dp.domains import Domain, words
from piiscan.dp.privacy import Privacy
from piiscan.dp.queries import Measure
from piiscan.dp.request import QUARTILES, STATISTICS, Statistic
from piiscan.dp.run import schema as schemas
from piiscan.dp.run.accounts import private_request
from piiscan.dp.run.prepare import SummaryQuestions, prepare_summary
from piiscan.dp.run.summarize_table import Summary
from piiscan.dp.tally import Tally
from piiscan.engines import sum_parts
from piiscan.engines.rebatch import rebatched
from piiscan.engines.scan_parts import part_table
from piiscan.engines.spark_count import scanned_table
from piiscan.engines.spark_frames import Batches, arrow_schema, demand_frame, folded, mapped
from piiscan.engines.tally_parts import TallyRequest, fold_tallies, tally, total
from piiscan.engines.workers import guarded
from piiscan.io.table_source import Source, column_index, column_names
from piiscan.synthesis.request import SynthesisRequest
from piiscan.synthesis.run import Synthetic, charge_and_draw

UNIT: Final = "piiscan unit"


@verb
def summarize(
    df: Any,
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
) -> Summary:
    """A differentially private summary of a Spark DataFrame, charged to the dataset's budget.

    privacy: its `unit` names the column that says whose a row is, by which rows are shuffled, so that so many of each
    unit's count; `one_row_per_person` is refused here, as nobody looks whether it is so. Its `dataset` and `ledger` are
    required. The other parameters are those of `piiscan.summarize`.

    Guarantee: see `piiscan.dp.run.summarize_table.charge_and_summarize`; and exact sums pass through the engine.
    Raises `MissingExtra`, `BudgetError`, `UsageError` and `ReadError`.
    """
    demand_frame(df)
    unit = _unit(privacy)
    questions = SummaryQuestions(
        bounds=bounds or {},
        edges=edges or {},
        categories=categories or {},
        entities=entities or {},
        estimate_bounds=estimate_bounds,
        private_keys=private_keys,
        schema=schema,
        columns=columns,
        statistics=statistics,
        quantiles=quantiles,
        by=by,
        cross=cross,
    )
    query = prepare_summary(Source(df), privacy, questions)
    query.check()
    return query.charge_and_execute(partial(_tally, df, unit, privacy.max_rows))


@verb
def synthesize(
    df: Any,
    privacy: Privacy,
    *,
    n: int | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    entities: Mapping[str, str] | None = None,
    decimals: Mapping[str, int] | None = None,
    schema: str | os.PathLike[str] | None = None,
    columns: Sequence[str] = (),
) -> Synthetic:
    """Made-up rows that are like those of a Spark DataFrame, with differential privacy: a polars frame on the driver.

    `privacy` as in `summarize`; the other parameters are those of `piiscan.synthesize`. Constraints
    of a schema aren't kept, but refused.

    Guarantee: see `piiscan.synthesis.run.charge_and_draw`; and exact sums pass through the engine. Raises
    `MissingExtra`, `BudgetError`, `UsageError` and `ReadError`.
    """
    memory.begin()
    demand_frame(df)
    unit = _unit(privacy)
    declared = schemas.with_file(
        Declared(bounds or {}, edges or {}, categories or {}, entities or {}, decimals=decimals or {}), schema
    )
    if declared.constraints:
        raise UsageError("on Spark, synthetic rows don't keep constraints; leave them out of the schema")
    request, ledger = private_request(Source(df), privacy, domains(declared, columns))
    own = declared.of(request.names)
    drawn = charge_and_draw(
        Source(df),
        SynthesisRequest(request, n, own.decimals, private_bins=own.private_bins),
        ledger,
        privacy.budget,
        tally_of=partial(_tally, df, unit, privacy.max_rows),
    )
    names = column_names(_info(arrow_schema(df)).fields)
    left_out = tuple((i, name) for i, name in enumerate(names) if name not in (*request.names, privacy.unit))
    order = sorted(request.names, key=names.index)
    return Synthetic(drawn.text, drawn.repeated, drawn.rows.select(order), dict(request.columns), left_out)


@verb
def aggregate(
    df: Any,
    by: str | Sequence[str],
    columns: str | Sequence[str],
    *,
    min_group: int = 10,
    p_percent: float = 10.0,
    dominance: tuple[int, float] | None = None,
    totals: Totals | None = None,
    unit: str | None = None,
) -> Aggregates:
    """Count, means, standard deviations and correlations of `columns` in each group by `by`, of a Spark DataFrame.

    The aggregates that `piiscan.aggregate` gives of the same rows. The parameters are those of `piiscan.aggregate`;
    nothing is recorded in a ledger. What each unit adds to each group comes to the driver. Raises `UsageError` and
    `ReadError`.
    """
    demand_frame(df)
    request = AggregateRequest(several(by), several(columns), Rules(min_group, p_percent, dominance), unit, totals)
    info = _info(arrow_schema(df))
    names = column_names(info.fields)
    for name in (*request.by, *request.columns, *([] if unit is None else [unit])):
        column_index(names, name, info.fields)
    info, report, _ = scanned_table(df)
    check_verdicts(report, column_names(info.fields), request)
    summed = partial(sum_parts.summed, info=info, by=request.by, columns=request.columns, unit=unit)
    parts = folded(df, summed, sum_parts.folded)
    sums = sum_parts.total_of(parts) if parts else Sums.empty(len(request.by), unit is not None)
    return aggregate_sums("<frame>", sums, request)


def _unit(privacy: Privacy) -> str:
    if not isinstance(privacy, Privacy):
        raise UsageError(f"privacy is a piiscan.Privacy, not an object of type {type(privacy).__name__}")
    if privacy.unit is None:
        raise UsageError(
            "on Spark nobody looks whether each row is another person's; say whose a row is, with Privacy(unit=...)"
        )
    return privacy.unit


def _info(schema: Any) -> TableInfo:
    return Scanner().look(schema.empty_table())


def _tally(df: Any, unit: str, max_rows: int, measures: Sequence[Measure], of: Mapping[str, Domain]) -> Tally:
    """The exact sums over all rows, of each unit at most so many."""
    functions = import_module("pyspark.sql.functions")
    types = import_module("pyspark.sql.types")
    info = _info(arrow_schema(df))
    names = column_names(info.fields)
    for name in (*of, unit):
        column_index(names, name, info.fields)
    own = [f for f in df.schema.fields if any(n == f.name or n.startswith(f"{f.name}.") for n in (*of, unit))]
    few = df.select(*("`" + f.name.replace("`", "``") + "`" for f in own))
    schema = types.StructType([*few.schema.fields, types.StructField(UNIT, types.StringType(), True)])
    # By the words of the unit: equal ones may be written in several ways, and all of them are in one partition.
    marked = mapped(few, partial(_marked, _info(arrow_schema(few)), unit), schema)
    shuffled = marked.where(functions.col(f"`{UNIT}`").isNotNull()).repartition(functions.col(f"`{UNIT}`"))
    request = TallyRequest(_info(arrow_schema(shuffled)), tuple(measures), tuple(of.items()), UNIT, max_rows)
    parts = folded(shuffled, partial(_summed, request), partial(_folded, tuple(measures)))
    return total(parts, measures) if parts else Tally.empty(measures, of)


def _marked(info: TableInfo, unit: str, batches: Batches) -> Batches:
    pyarrow = import_module("pyarrow")
    place = str(column_index(column_names(info.fields), unit, info.fields))
    with guarded():
        for table in rebatched(batches):
            units = [
                word for batch in part_table(table, info).batches() for word in words(batch.frame[place]).to_list()
            ]
            yield from table.append_column(UNIT, pyarrow.array(units, pyarrow.string())).to_batches()


def _summed(request: TallyRequest, batches: Batches) -> bytes:
    return tally(batches, request)


def _folded(measures: tuple[Measure, ...], parts: Iterable[bytes]) -> bytes:
    return fold_tallies(parts, measures)
