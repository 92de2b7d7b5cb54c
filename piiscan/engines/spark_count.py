"""Risk and k-anonymity of Spark data frames: the engine counts combinations, the driver works on the histogram."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from piiscan.anonymity.best_publication import anonymized
from piiscan.anonymity.counted_table import CountedTable, OtherTable
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.hierarchies.hierarchy_files import load
from piiscan.anonymity.histogram import ROWS, Histogram
from piiscan.anonymity.models.privacy_models import Distance, Diversity, PrivacyModels
from piiscan.anonymity.needs import demand_counts
from piiscan.anonymity.publish import Publisher
from piiscan.anonymity.request import AnonymizeRequest, Method
from piiscan.anonymity.risk.risk_report import RiskReport
from piiscan.anonymity.run.count_table import count_with, counted_by, of_columns
from piiscan.anonymity.run.recount import check_counted
from piiscan.api.anonymize import Labels, hierarchies_of
from piiscan.api.frame_tables import read_held, whole
from piiscan.api.risk import ComparisonSpec, DeclaredRoles, assess_counted
from piiscan.api.scan import Scanner
from piiscan.api.table_input import several
from piiscan.api.verbs import verb
from piiscan.core import memory
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import Table, TableInfo, TableReport
from piiscan.engines import base_levels, scan_parts
from piiscan.engines.count_parts import counted, together
from piiscan.engines.mask_parts import cast
from piiscan.engines.rebatch import rebatched
from piiscan.engines.spark_frames import Batches, arrow_schema, as_arrow, demand_frame, is_frame, mapped
from piiscan.engines.spark_scan import summed
from piiscan.engines.spark_types import demand_maskable, readable, spark_schema
from piiscan.engines.workers import guarded, on_engine
from piiscan.io import native_frames
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import judging, printable_names
from piiscan.scanning.scan_options import ScanOptions

MOST: Final = 5_000_000
"""Combinations that the driver takes."""
_FEW: Final = 100_000
"""Rows of which nobody counts how many combinations they are, as they are few enough."""
_COUNTED: Final = 60
"""Bytes of the driver's memory for each combination and column."""
_FEWER: Final = (
    "declare fewer columns, or cut quasi-identifiers of very many values before (dates to months, numbers to bins, "
    "codes to their first digits)"
)


@verb
def risk(
    df: Any,
    quasi: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    insensitive: str | Sequence[str] = (),
    *,
    unit: str | None = None,
    weights: str | None = None,
    sampling_fraction: float | None = None,
    population: Any = None,
    against: Any = None,
    hierarchies: str | os.PathLike[str] | Mapping[str, Hierarchy] | None = None,
    most: int = MOST,
    progress: Callable[[str], None] | None = None,
) -> RiskReport:
    """How well a Spark DataFrame hides whom its records are about.

    The report that `piiscan.risk` gives of the same rows.

    population, against: Spark DataFrames, or the files and frames that `piiscan.risk` takes. most: how many different
    combinations of the columns that count the driver may take; above it nothing is measured. progress: called with how
    many there are, and the memory that they take, before any of them comes to the driver. The other parameters are
    those of `piiscan.risk`. Raises `UsageError`, also above `most` and above the memory that
    `piiscan.allow_memory` allows, and `ReadError`.
    """
    memory.begin()
    demand_frame(df)
    declared = DeclaredRoles(several(quasi), several(sensitive), several(insensitive), unit, weights)
    trees = Path(hierarchies) if isinstance(hierarchies, str | os.PathLike) else hierarchies
    info, report, timed_out = scanned_table(df)
    limits = _Limits(most, progress)
    histogram_of = partial(_histogram, readable(df), info, limits=limits, rows=report.rows)
    comparison = ComparisonSpec(
        sampling_fraction, _other(population, "<population>", limits), _other(against, "<against>", limits), trees
    )
    return assess_counted(report, timed_out, declared, comparison, histogram_of, ReadOptions())


@dataclass(frozen=True)
class AnonymizedSpark:
    """`frame`: a Spark DataFrame, made when it is used; `report`: what became of the rows, without values."""

    frame: Any
    report: dict[str, Any]


@verb
def anonymize(
    df: Any,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 - the field's own letter
    diversity: Diversity = "distinct",
    c: float = 3.0,
    alpha: float | None = None,
    t: float | None = None,
    distance: Distance = "equal",
    quasi: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    insensitive: str | Sequence[str] = (),
    suppress: float = 0.04,
    method: Method = "local",
    metric: str = "loss",
    hierarchies: str | os.PathLike[str] | Mapping[str, Labels] | None = None,
    base: Mapping[str, int] | None = None,
    unit: str | None = None,
    presence: tuple[float, float] | None = None,
    population: Any = None,
    drop_suppressed: bool = False,
    most: int = MOST,
    progress: Callable[[str], None] | None = None,
) -> AnonymizedSpark:
    """A Spark DataFrame in which no record can be told from k - 1 others by its quasi-identifiers.

    The rows that `piiscan.anonymize` gives on one machine.

    The engine counts combinations of quasi-identifiers and sensitive columns, the driver searches on their histogram,
    workers give each combination its labels, and the output is counted again before it is returned. It is made anew
    when it is used: a row that has come since, of a combination that wasn't counted, is an error then. Combinations and
    labels are sent to workers.

    base: levels of `hierarchies` that quasi-identifiers are cut to before anything is counted, by column, so that there
    are fewer combinations; the result is that for a table cut so, with what is left of these hierarchies. The other
    parameters are those of `piiscan.anonymize`; what kept columns tell together isn't looked at. population: a
    Spark DataFrame too. unit: units get other numbers in each call, and the same ones whenever the frame is made. most,
    progress: see `risk`; the rows of different units are different combinations. Raises `UsageError`, also above `most`
    and where the models can't be met, `ReadError` and `VerifyError`.
    """
    memory.begin()
    demand_frame(df)
    demand_maskable(df)
    trees = hierarchies_of(hierarchies)
    if base:
        df, trees = _cut(df, trees, base, several(quasi))
    request = AnonymizeRequest(
        PrivacyModels(k, l, diversity, c, alpha, t, distance, presence),
        several(quasi),
        several(sensitive),
        several(insensitive),
        unit,
        suppress,
        method,
        metric,
        trees,
        None if population is None else _counted_elsewhere,
        drop_suppressed,
    )
    before = arrow_schema(df)
    info = Scanner().look(before.empty_table())
    rules = Scanner().ruleset
    limits = _Limits(most, progress)
    table = count_with(
        printable_names.printable(info, rules),
        request,
        lambda: scanned_table(df)[1],
        partial(_histogram, df, info, limits=limits),
    )
    found = anonymized(table, request, _population(population, table, limits, rules))
    publisher = Publisher(found)
    publisher.number_units(table.histogram)
    after = _labelled(before, info, publisher)
    frame = mapped(df, partial(_published, publisher, after), spark_schema(df, before, after))
    known = len(table.histogram.frame)  # rows of one combination are published alike
    looked = Scanner().look(after.empty_table())
    check_counted(_histogram(frame, looked, table.histogram.columns, _Limits(known, None), rows=known), found, table)
    return AnonymizedSpark(frame, found.to_dict())


def _cut(
    df: Any, hierarchies: Path | Mapping[str, Hierarchy] | None, base: Mapping[str, int], quasi: Sequence[str]
) -> tuple[Any, dict[str, Hierarchy]]:
    """The frame with labels in the columns of `base`, and what is left of the hierarchies."""
    trees = dict(load(hierarchies, quasi) if isinstance(hierarchies, Path) else hierarchies or {})
    schema = arrow_schema(df)
    info = Scanner().look(schema.empty_table())
    for name in base:
        if name not in trees or name not in quasi or name not in schema.names:
            raise UsageError(f"base: {name} is no quasi-identifier of the frame with a hierarchy; declare both")
    levels = {name: (trees[name], level) for name, level in base.items()}
    base_levels.demand(levels)
    pyarrow = import_module("pyarrow")
    after = pyarrow.schema([f.with_type(pyarrow.string()) if f.name in base else f for f in schema])
    cuts = {schema.names.index(name): level for name, level in levels.items()}
    frame = mapped(df, partial(_cut_cells, info, cuts), spark_schema(df, schema, after))
    return frame, trees | {name: base_levels.above(*level) for name, level in levels.items()}


def _cut_cells(info: TableInfo, cuts: Mapping[int, tuple[Hierarchy, int]], batches: Batches) -> Batches:
    with guarded():
        yield from base_levels.cut(batches, info, cuts)


def scanned_table(df: Any) -> tuple[TableInfo, TableReport, tuple[str, ...]]:
    """The columns of a frame, the verdicts on them, and what could not be looked at in time."""
    spec, data = summed(df, Scanner(), "<frame>", None)
    summary = scan_parts.summary_of(data, spec).summary
    report, failures = judging.judge(spec.info, summary, spec.rules, ScanOptions())
    return spec.info, report, tuple(f"{entry.column}: {entry.reason}" for entry in failures)


@dataclass(frozen=True)
class _Limits:
    """`most`: combinations that the driver takes; `progress`: called with how many there are."""

    most: int
    progress: Callable[[str], None] | None


def _histogram(df: Any, info: TableInfo, columns: Sequence[int], limits: _Limits, rows: int | None = None) -> Histogram:
    """The engine counts; of more than `most` combinations none comes to the driver.

    rows: how many there are at most, if somebody knows. Unless they are few, the engine counts the combinations first.
    """
    functions = import_module("pyspark.sql.functions")
    names = [str(i) for i in columns]
    parts = mapped(
        df, partial(_counted, info, tuple(columns)), ", ".join(f"`{n}` string" for n in names) + ", rows bigint"
    )
    is_bound = rows is not None and rows <= min(limits.most, _FEW)
    there = rows if is_bound and rows is not None else int(on_engine(parts.select(*names).distinct().count))
    _demand(there, len(names), is_bound, limits)
    grouped = parts.groupBy(*names).agg(functions.sum(ROWS).alias(ROWS)).limit(there + 1)
    found = on_engine(partial(as_arrow, grouped))
    if found.num_rows > there:
        raise ReadError("the frame has other rows than before; try again while nothing writes to its tables")
    return together(found, columns)


def _demand(there: int, columns: int, is_bound: bool, limits: _Limits) -> None:
    """Say what so many combinations take of the driver's memory. Raises `UsageError` where that is too much."""
    size = memory.shown(there * columns * _COUNTED)
    if limits.progress is not None:
        most = "at most " if is_bound else ""
        limits.progress(f"{most}{there:,} combinations of {columns} columns take up to {size} of the driver's memory")
    if there > limits.most:
        raise UsageError(
            f"there are more than {limits.most:,} different combinations of the columns that count: {there:,}, which "
            f"would take up to {size} of the driver's memory; {_FEWER}, or give a larger most"
        )
    demand_counts(there, columns)


def _other(given: Any, name: str, limits: _Limits) -> Any:
    """What a table is compared with: a Spark DataFrame is counted by the engine, all else is as it was given."""
    if not is_frame(given):
        return given
    info = Scanner().look(arrow_schema(readable(given)).empty_table())._replace(source=name)
    return OtherTable(info, partial(_histogram, readable(given), info, limits=limits))


def _counted_elsewhere() -> Table:
    """In the place of what opens a population: the engine counts it."""
    raise AssertionError


def _population(given: Any, table: CountedTable, limits: _Limits, rules: RuleSet) -> Histogram | None:
    if given is None:
        return None
    quasi = [column for column in table.columns if column.role == "quasi"]
    other = _other(given, "<population>", limits)
    if isinstance(other, OtherTable):
        return counted_by(other, quasi, rules)
    return of_columns(Source(given, None, ReadOptions()).opened(), quasi, rules)


def _counted(info: TableInfo, columns: tuple[int, ...], batches: Batches) -> Batches:
    with guarded():
        yield from counted(batches, info, columns)


def _published(publisher: Publisher, schema: Any, batches: Batches) -> Batches:
    with guarded():
        for table in rebatched(batches):
            yield from _relabelled(publisher, schema, table).to_batches()


def _relabelled(publisher: Publisher, schema: Any, table: Any) -> Any:
    _, cells = whole(read_held(table, ()))
    columns, kept = publisher.apply(cells)
    return cast(native_frames.kind_of(table).rebuilt(table, columns, set(), kept), schema)


def _labelled(schema: Any, info: TableInfo, publisher: Publisher) -> Any:
    """The schema with texts where labels stand. Raises `UsageError` for structs."""
    pyarrow = import_module("pyarrow")
    if len(info.fields) != len(schema):
        raise UsageError("a frame with structs isn't anonymised; select their fields as columns of their own")
    return pyarrow.schema(
        [
            (field.with_type(pyarrow.string()) if i in publisher.texts else field).with_nullable(True)
            for i, field in enumerate(schema)
        ]
    )
