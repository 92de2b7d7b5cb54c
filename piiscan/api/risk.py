"""The Python interface: measures the re-identification risk of a file or a frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from piiscan.anonymity.counted_table import OtherTable
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.hierarchies.hierarchy_files import available
from piiscan.anonymity.histogram import Coded, Histogram
from piiscan.anonymity.models.shares import Floats
from piiscan.anonymity.risk import risk_figures as figures
from piiscan.anonymity.risk.attackers import prosecutor
from piiscan.anonymity.risk.risk_figures import CodedTable, Roles
from piiscan.anonymity.risk.risk_report import ColumnRole, Linkage, Population, RiskReport
from piiscan.anonymity.roles import OF_EACH, Assigned, Role, assign, declared_as, demand_records
from piiscan.anonymity.run.count_rows import count_rows
from piiscan.api.table_input import several, table_source
from piiscan.api.verbs import verb
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import ColumnReport, Field, TableReport
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.masking.plan.plan_writer import labels
from piiscan.rules import rule_sets
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.crew import Crew
from piiscan.scanning.engine import Progress, scan_tables
from piiscan.scanning.scan_options import ScanOptions


@dataclass(frozen=True, slots=True)
class DeclaredRoles:
    """The caller's declarations about columns, by name.

    A column without a name is `column_3`, counted from 0; a repeated name is `name#2`.

    quasi, sensitive: if some are given, only these count as such; otherwise those that the scan recognises. unit: the
    column that identifies the person (or other unit) a row belongs to; records are then units. weights: how many
    members of the population a row stands for.
    """

    quasi: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    insensitive: Sequence[str] = ()
    unit: str | None = None
    weights: str | None = None

    def by_role(self) -> dict[Role, Sequence[str]]:
        """Return the declarations as `declared_as` takes them."""
        unit, weights = (() if name is None else (name,) for name in (self.unit, self.weights))
        return {
            "quasi": self.quasi,
            "sensitive": self.sensitive,
            "insensitive": self.insensitive,
            "unit": unit,
            "weights": weights,
        }


@dataclass(frozen=True, slots=True)
class ComparisonSpec:
    """What the table is compared with.

    It is at most one of a sampling fraction (0 to 1) and a population's file or frame, and the file or frame of an
    attack; both may be an `OtherTable`.
    hierarchies: a folder of files in ARX's form, or a mapping by column: what labels stand for, and how far apart
    sensitive values are.
    """

    sampling_fraction: float | None = None
    population: Any = None
    against: Any = None
    hierarchies: Path | Mapping[str, Hierarchy] | None = None


@verb
def risk(
    data: Any,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    *,
    unit: str | None = None,
    weights: str | None = None,
    sampling_fraction: float | None = None,
    population: Any = None,
    against: Any = None,
    hierarchies: str | os.PathLike[str] | Mapping[str, Hierarchy] | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> RiskReport:
    """Measure how well a table hides the identity of the people its records are about.

    data, population, against: a pandas, polars or pyarrow frame, or the path of a file. The columns' names: see
    `DeclaredRoles`; a single name needs no list. sampling_fraction: the share of the population that the table
    contains.
    population: a table of the whole population, with all quasi-identifiers.
    against: a table of people that an attacker has, with some of them. hierarchies: a folder of files in ARX's form,
    or by column: what labels of a masked table stand for, and for sensitive columns how far apart values are.
    table: which of the tables of a file `data` is, if it has several. delimiter, encoding, header: how files' text is
    written; None to infer.

    Raises `UsageError` for columns that don't exist, for undeclared direct identifiers, and if there is no
    quasi-identifier; `ReadError` if something can't be read to its end.

    >>> import piiscan
    >>> people = [{"age": 31, "sex": "f"}, {"age": 31, "sex": "f"}, {"age": 54, "sex": "m"}]
    >>> report = piiscan.risk(people, quasi=["age", "sex"])
    >>> report.classes.smallest, report.classes.unique
    (1, 1)
    """
    declared = DeclaredRoles(several(quasi), several(sensitive), several(insensitive), unit, weights)
    trees = Path(hierarchies) if isinstance(hierarchies, str | os.PathLike) else hierarchies
    source = table_source(data, table, delimiter, encoding, header)
    comparison = ComparisonSpec(sampling_fraction, population, against, trees)
    return assess(source, declared, comparison, rule_sets.load(()), ScanOptions())


@verb
def is_k_anonymous(
    data: Any,
    k: int,
    columns: str | Sequence[str] | None = None,
    *,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> bool:
    """Return whether every row of a table shares its cells in these columns with at least k - 1 others.

    data: a pandas, polars or pyarrow frame, or the path of a file. columns: the quasi-identifiers, by default every
    column. Cells are compared as text; empty ones are equal to each other. A table without rows is k-anonymous.
    table: which of a file's tables to read, if it has several. delimiter, encoding, header: how a file's text is
    written; None to infer.

    It is a count and no proof of safety: if all sensitive values of a class are the same, they are disclosed for
    everyone in the class. `risk` measures that. Raises `UsageError` for a column that doesn't exist, and `ReadError`.

    >>> import piiscan
    >>> people = [{"age": "30-39", "sex": "f"}, {"age": "30-39", "sex": "f"}, {"age": "50-59", "sex": None}]
    >>> (piiscan.is_k_anonymous(people, 2), piiscan.is_k_anonymous(people[:2], 2),
    ...  piiscan.is_k_anonymous(people, 1, ["sex"]))
    (False, True, True)
    """
    if k < 1:
        raise UsageError("k must be 1 or more")
    found = table_source(data, table, delimiter, encoding, header).opened()
    names = labels([f.name for f in found.info.fields])
    quasi = names if columns is None else several(columns)
    if missing := [name for name in quasi if name not in names]:
        raise UsageError(f"{found.info.source}: there is no column {missing[0]}")
    if not quasi:
        raise UsageError("name at least one column that an attacker may know")
    indices = [names.index(name) for name in quasi]
    for index, name in zip(indices, quasi, strict=True):
        _one_value(found.info.fields[index], name, found.info.source)
    if columns is not None:  # all columns together have all that a row has
        demand_records(found.info.source, found.info.fields, indices)
    return bool((count_rows(found, indices).rows >= k).all())


def _one_value(column: Field | ColumnReport, name: str, source: str) -> None:
    """Raise `UsageError` for a column from lists of objects, since classes consist of rows."""
    if column.parent is not None and column.dtype == "other":
        raise UsageError(
            f"{source}: column {name} comes from a list and has several values per row; make a table with one row "
            "for each value"
        )


def assess(
    source: Source,
    declared: DeclaredRoles,
    comparison: ComparisonSpec,
    rules: RuleSet,
    scan: ScanOptions,
    progress: Progress | None = None,
) -> RiskReport:
    """Measure risk as `risk` does, with the caller's rules and options.

    It reads the table twice: for the verdicts on its columns, and for its histogram.
    """
    _check(declared, comparison)
    with Crew(rules, scan, source.read) as crew:
        report, timed_out = _scanned(source, rules, scan, progress, crew)

        def counted(columns: Sequence[int]) -> Histogram:
            return count_rows(source.opened(), columns, progress, crew)

        return assess_counted(report, timed_out, declared, comparison, counted, source.read, progress)


def _check(declared: DeclaredRoles, comparison: ComparisonSpec) -> None:
    if sum(x is not None for x in (comparison.sampling_fraction, comparison.population, declared.weights)) > 1:
        raise UsageError("give only one of a population, weights, and a sampling fraction")
    if comparison.sampling_fraction is not None and not 0 < comparison.sampling_fraction <= 1:
        raise UsageError("the sampling fraction must be above 0 and at most 1")
    if declared.unit is not None and declared.weights is not None:
        raise UsageError("weights belong to rows; leave out --unit to use them")


def assess_counted(
    report: TableReport,
    timed_out: Sequence[str],
    declared: DeclaredRoles,
    comparison: ComparisonSpec,
    histogram_of: Callable[[Sequence[int]], Histogram],
    read: ReadOptions,
    progress: Progress | None = None,
) -> RiskReport:
    """Measure the risk of a table that was scanned already.

    timed_out: what of it could not be looked at in time. histogram_of: counts the rows by the columns in these places.
    """
    _check(declared, comparison)
    names = labels([c.name for c in report.columns])
    assigned = assign(names, declared_as(declared.by_role(), names), report.columns)
    roles = _roles(assigned, report)
    if not roles.quasi:
        raise UsageError(f"{report.source}: no column counts as a quasi-identifier; declare some with --quasi")
    for c in roles.counted:
        _one_value(report.columns[c], names[c], report.source)
    demand_records(report.source, report.columns, (*roles.quasi, *roles.sensitive))
    if not report.rows:
        raise UsageError(f"{report.source}: the table has no rows, so there is no risk to measure")
    histogram = histogram_of(roles.counted)
    if int(histogram.rows.sum()) != report.rows:
        raise ReadError(
            f"{report.source}: its rows changed between the two readings; try again while nothing writes to it"
        )
    trees = _hierarchies(comparison.hierarchies, [names[c] for c in (*roles.quasi, *roles.sensitive)])
    counted = CodedTable(histogram, roles, names.__getitem__, {names.index(name): tree for name, tree in trees.items()})
    suspected = (
        figures.sizes_of(counted, counted.grouped((*roles.quasi, *roles.suspected))) if roles.suspected else None
    )
    return RiskReport(
        source=report.source,
        table=report.table,
        rows=report.rows,
        units=counted.units,
        records=int(counted.classes.sizes.sum()),
        counted="rows" if roles.unit is None else "units",
        columns=tuple(_column(a, c) for a, c in zip(assigned, report.columns, strict=True)),
        warnings=(*_warnings(assigned, report), *timed_out),
        classes=figures.sizes_of(counted),
        blank=counted.blank,
        suspected=suspected,
        prosecutor=prosecutor(counted.classes.sizes),
        population=_population(counted, comparison, read, progress),
        sensitive=tuple(figures.sensitive(counted, c) for c in roles.sensitive),
        column_sets=figures.sets_of_columns(counted),
        linkage=None if comparison.against is None else _linkage(counted, _other(comparison.against, read, progress)),
    )


def _hierarchies(given: Path | Mapping[str, Hierarchy] | None, columns: Sequence[str]) -> Mapping[str, Hierarchy]:
    if isinstance(given, Path):
        return available(given, columns)
    return {name: tree for name, tree in (given or {}).items() if name in columns}


def _scanned(
    source: Source, rules: RuleSet, scan: ScanOptions, progress: Progress | None, crew: Crew
) -> tuple[TableReport, tuple[str, ...]]:
    """Return the scan's verdicts on the table, and what could not be examined in time.

    Raises `ReadError` if it can't be read to its end.
    """
    report = scan_tables([source.opened()], rules, scan, progress, helpers=crew)
    for entry in report.not_scanned:
        if entry.column is None:
            raise ReadError(f"{entry.source}: {entry.reason}")
    return report.tables[0], tuple(f"{entry.column}: {entry.reason}" for entry in report.not_scanned)


def _column(assigned: Assigned, column: ColumnReport) -> ColumnRole:
    declared = assigned.why == "declared"
    return ColumnRole(
        column.index,
        assigned.name,
        assigned.role,
        declared,
        column.entity,
        column.distinct if column.distinct_exact else None,
    )


def _roles(columns: Sequence[Assigned], report: TableReport) -> Roles:
    """Return the roles of columns.

    Suspected are the columns that could be quasi-identifiers; those that differ in every row aren't examined.
    """

    def indices(role: Role) -> tuple[int, ...]:
        return tuple(c.index for c in columns if c.role == role)

    suspected = tuple(
        i for i in indices("suspected") if report.columns[i].pii == "quasi" and report.columns[i].entity not in OF_EACH
    )
    return Roles(
        indices("quasi"),
        suspected,
        indices("sensitive"),
        next(iter(indices("unit")), None),
        next(iter(indices("weights")), None),
    )


def _warnings(columns: Sequence[Assigned], report: TableReport) -> Iterator[str]:
    for role, column in zip(columns, report.columns, strict=True):
        filled = report.rows - column.nulls
        inside = any(PII_CLASS.get(i.entity) == "direct" for i in column.inside)
        if (column.pii == "direct" or inside) and role.role != "unit":
            what = column.entity if column.pii == "direct" else "inside its cells"
            yield (
                f"{role.name} looks like a direct identifier ({what}): it is declared {role.role}, so it is taken "
                "as masked"
            )
        elif (
            column.distinct_exact
            and filled > 1
            and column.distinct == filled
            and role.role in ("insensitive", "sensitive", "suspected")
        ):
            yield (
                f"{role.name}: all its values are different, so anyone who knows one finds the row; declare it "
                "--unit, or --quasi if an attacker may know it"
            )
        elif role.role == "suspected" and column.pii == "sensitive":
            yield (
                f"{role.name} ({column.entity}) looks sensitive and isn't declared: what classes disclose about "
                "it isn't measured"
            )
        elif role.role == "suspected":
            yield (
                f"{role.name} ({column.entity}) looks like a quasi-identifier and isn't declared: an attacker may "
                "know it, and it isn't counted"
            )
        if role.role == "unit" and column.nulls:
            yield f"{role.name}: {column.nulls:,} empty cells: their rows count as one more unit in each class"


def _population(
    counted: CodedTable, comparison: ComparisonSpec, read: ReadOptions, progress: Progress | None
) -> Population | None:
    if comparison.sampling_fraction is not None:
        return figures.sampled(counted, comparison.sampling_fraction)
    if counted.roles.weights is not None:
        return figures.weighted(
            counted, _weights(counted.coded[counted.roles.weights], counted.name(counted.roles.weights))
        )
    if comparison.population is None:
        return None
    other = _other(comparison.population, read, progress)
    there = labels([f.name for f in other.info.fields])
    quasi = [counted.name(c) for c in counted.roles.quasi]
    if missing := [name for name in quasi if name not in there]:
        raise UsageError(
            f"{other.info.source}: the population lacks the columns {', '.join(missing)}; it needs every "
            "quasi-identifier"
        )
    chosen = [there.index(name) for name in quasi]
    return figures.within(counted, other.histogram_of(chosen), chosen)


def _other(given: Any, read: ReadOptions, progress: Progress | None) -> OtherTable:
    """A table to compare with: a file, a frame, or one that others count."""
    if isinstance(given, OtherTable):
        return given
    table = Source(given, None, read).opened()
    return OtherTable(table.info, lambda columns: count_rows(table, columns, progress))


def _weights(column: Coded, name: str) -> Floats:
    """(entries,) the weights as numbers. Raises `UsageError` if some aren't numbers, or are below 1."""

    def number(text: str | None) -> float:
        try:
            return float(text or "nan")
        except ValueError:
            return float("nan")

    values = np.array([number(v) for v in column.values])
    bad = int((~(np.isfinite(values) & (values >= 1))).sum())
    if bad:
        raise UsageError(
            f"the weights in {name} must be numbers of 1 or more; {bad} of its {len(values)} different values are not"
        )
    return values[column.codes]


def _linkage(counted: CodedTable, other: OtherTable) -> Linkage:
    there = labels([f.name for f in other.info.fields])
    shared = [c for c in counted.roles.quasi if counted.name(c) in there]
    if not shared:
        raise UsageError(
            f"{other.info.source}: it has none of the quasi-identifiers; rename its columns to match those of the table"
        )
    chosen = [there.index(counted.name(c)) for c in shared]
    return figures.linked(counted, shared, other.histogram_of(chosen), chosen, other.info.source)
