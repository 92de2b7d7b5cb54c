"""Counts a table for anonymisation: every column's role, and the histogram of the columns that matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from piiscan.anonymity.counted_table import CountedTable, OtherTable
from piiscan.anonymity.histogram import Histogram
from piiscan.anonymity.needs import demand_counts
from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.roles import Assigned, assign, declared_as, demand_records
from piiscan.anonymity.run.count_rows import count_rows
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import Table, TableInfo, TableReport
from piiscan.io.table_source import Source
from piiscan.masking.plan.plan_writer import labels
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine, printable_names
from piiscan.scanning.crew import Crew
from piiscan.scanning.engine import Progress
from piiscan.scanning.scan_options import ScanOptions


def counted(
    source: Source, request: AnonymizeRequest, rules: RuleSet, scan: ScanOptions, progress: Progress | None = None
) -> CountedTable:
    """Read a table for its histogram.

    It is read a second time for a scan if some column has no declared role, or needs a hierarchy that fits it.
    """
    with Crew(rules, scan, source.read) as crew:
        return _counted(source, request, rules, scan, progress, crew)


def _counted(
    source: Source,
    request: AnonymizeRequest,
    rules: RuleSet,
    scan: ScanOptions,
    progress: Progress | None,
    crew: Crew,
) -> CountedTable:
    table = source.opened()

    def scanned() -> TableReport:
        report = engine.scan_tables([source.opened()], rules, scan, progress, helpers=crew)
        for entry in report.not_scanned:
            if entry.column is None:
                raise ReadError(f"{entry.source}: {entry.reason}")
        return report.tables[0]

    def histogram(columns: Sequence[int]) -> Histogram:
        return count_rows(table, columns, progress, crew, lambda entries: demand_counts(entries, len(columns)))

    return count_with(printable_names.printable(table.info, rules), request, scanned, histogram)


def count_with(
    info: TableInfo,
    request: AnonymizeRequest,
    scanned: Callable[[], TableReport],
    histogram_of: Callable[[Sequence[int]], Histogram],
) -> CountedTable:
    """As `counted`, of a table that others read.

    `info` has its names as printed, `scanned` is asked where columns have to be looked at, and `histogram_of` counts
    the rows by the columns in these places.
    """
    names = labels([f.name for f in info.fields])
    if nested := [
        name
        for name, field in zip(names, info.fields, strict=True)
        if field.parent is not None and field.dtype == "other"
    ]:
        raise UsageError(
            f"{info.source}: column {nested[0]} comes from a list and has several values per row, which can't be "
            "generalised; leave the list out (`piiscan mask` with operator drop), or make a table with one row "
            "for each value"
        )
    unit = () if request.unit is None else (request.unit,)
    declared = declared_as(
        {"quasi": request.quasi, "sensitive": request.sensitive, "insensitive": request.insensitive, "unit": unit},
        names,
    )
    if set(names) - set(declared) or request.hierarchies is None:
        columns = assign(names, declared, scanned().columns)
    else:
        columns = tuple(
            Assigned(i, n, f.dtype, declared[n], "declared")
            for i, (n, f) in enumerate(zip(names, info.fields, strict=True))
        )
    demand_records(info.source, info.fields, (c.index for c in columns if c.role in ("quasi", "sensitive")))
    if not any(c.role == "quasi" for c in columns):
        raise UsageError("no column is a quasi-identifier; name them with --quasi")
    counted_columns = [c.index for c in columns if c.role in ("quasi", "sensitive", "unit")]
    histogram = histogram_of(counted_columns)
    if not len(histogram.frame):
        raise UsageError(f"{info.source}: the table has no rows, so there is nothing to anonymise")
    return CountedTable(info, columns, histogram)


def count_population(table: CountedTable, open_: Callable[[], Table] | None, rules: RuleSet) -> Histogram | None:
    """Return the histogram of a population over the quasi-identifiers of a table; None if there is no population."""
    quasi = [c for c in table.columns if c.role == "quasi"]
    return None if open_ is None else of_columns(open_(), quasi, rules)


def of_columns(table: Table, columns: Sequence[Assigned], rules: RuleSet) -> Histogram:
    """Return the histogram of a second table over columns of the same names, in their order.

    Raises `UsageError` if one is missing.
    """

    def histogram(indexes: Sequence[int]) -> Histogram:
        return count_rows(table, indexes)

    return counted_by(OtherTable(table.info, histogram), columns, rules)


def counted_by(other: OtherTable, columns: Sequence[Assigned], rules: RuleSet) -> Histogram:
    """As `of_columns`, of a table that others read."""
    there = labels([f.name for f in printable_names.printable(other.info, rules).fields])
    if missing := [c.name for c in columns if c.name not in there]:
        raise UsageError(f"{other.info.source} has no column {missing[0]}")
    indexes = [there.index(c.name) for c in columns]
    found = other.histogram_of(indexes)
    return Histogram(
        found.frame.rename({str(there_index): str(c.index) for there_index, c in zip(indexes, columns, strict=True)})
    )
