"""The report on a table's risk: counts, shares and names of columns, but no cell value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final, Literal

from piiscan.anonymity.risk.attackers import Risk
from piiscan.anonymity.roles import Role
from piiscan.core.results import Fact, Result

SCHEMA_VERSION: Final = 1
_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """The role of a column.

    declared: by the caller, or else by the scan, which recognised it as `entity`. distinct: the number of its values,
    None if that is only estimated.
    """

    index: int
    name: str
    role: Role
    declared: bool
    entity: str | None
    distinct: int | None


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Classes of `least` to `most` records: how many there are, and how many records they contain."""

    least: int
    most: int
    classes: int
    records: int


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """The sizes of the equivalence classes.

    It has their number, their smallest size (the k of k-anonymity), largest and mean size, and the records that are
    alone in their class. unique_units: the units that are alone in at least one class; None if rows are counted.
    """

    number: int
    smallest: int
    largest: int
    average: float
    unique: int
    unique_share: float
    unique_units: int | None
    sizes: tuple[SizeRange, ...]


@dataclass(frozen=True, slots=True)
class Sensitive:
    """How well classes hide a sensitive column.

    `values` is the number of distinct values; for the models see `piiscan.anonymity.models.model`.

    certain: records whose value is certain to anyone who finds their class, since all records in it share it.
    certain_in_groups: those of them that aren't alone in their class. certain_units: the units whose value is
    certain; None if rows are counted. recursive_l is the l that recursive_c belongs to. Values are infinite if no c, β
    or δ is enough.
    t_ordered: None for a column that isn't numeric; t_hierarchical: None for one without a hierarchy.
    """

    column: str
    values: int
    certain: int
    certain_share: float
    certain_in_groups: int
    certain_units: int | None
    distinct_l: int
    entropy_l: float
    recursive_l: int
    recursive_c: float
    alpha: float
    t_equal: float
    t_ordered: float | None
    t_hierarchical: float | None
    beta_basic: float
    beta_enhanced: float
    delta: float


@dataclass(frozen=True, slots=True)
class Exact:
    """Figures measured against the population itself.

    k_map: the smallest size of a class in the population. presence_low, presence_high: the smallest and greatest
    share of a class's population that is in the table. unique: records whose class has one member in the population.
    outside:
    records of classes that have fewer members in the population than in the table, so the population doesn't contain
    the table; they count as if all of their class's population were in the table.
    """

    k_map: int
    presence_low: float
    presence_high: float
    unique: int
    unique_share: float
    outside: int


@dataclass(frozen=True, slots=True)
class Estimated:
    """Figures estimated from the sizes of the sample's classes.

    zayatz, pitman: share of the population that is unique in it; pitman is None if the model doesn't fit.
    unique_is_unique: the probability that a record that is unique in the table is also unique in the population
    (Zayatz).
    correct_match: the probability that a match with such a record is right (Skinner and Elliot); None if no class has
    one or two records.
    """

    zayatz: float
    pitman: float | None
    unique_is_unique: float
    correct_match: float | None


@dataclass(frozen=True, slots=True)
class Population:
    """Figures that need a population.

    journalist: the risk of records if the attacker doesn't know who is in the table. marketer: the expected share of
    all records that are re-identified by matching everyone.
    """

    by: Literal["file", "weights", "sampling fraction"]
    size: float
    journalist: Risk
    marketer: float
    exact: Exact | None
    estimated: Estimated | None


@dataclass(frozen=True, slots=True)
class SingledOut:
    """A set of columns that singles out records.

    It has the share of records that share its values with no other record, the number of combinations for each
    record, and the share of pairs that it distinguishes.
    """

    columns: tuple[str, ...]
    unique_share: float
    distinct_ratio: float
    separation_ratio: float


@dataclass(frozen=True, slots=True)
class Contribution:
    """A column's share of all scores of special uniques."""

    column: str
    share: float


@dataclass(frozen=True, slots=True)
class ColumnSets:
    """Which small sets of columns single records out.

    candidates: the columns examined; largest: the size of the largest sets. identifying: the smallest sets that
    single out most records; best: the sets of each size that single out most. special: for each size from 1 on, the
    records whose smallest unique set has that size; contributions: each column's share of it.
    """

    candidates: tuple[str, ...]
    largest: int
    identifying: tuple[SingledOut, ...]
    best: tuple[SingledOut, ...]
    special: tuple[int, ...]
    contributions: tuple[Contribution, ...]
    highest_score: int


@dataclass(frozen=True, slots=True)
class AtMost:
    """Records that match at least one and at most this many people of the other file."""

    candidates: int
    records: int
    share: float


@dataclass(frozen=True, slots=True)
class Learned:
    """People of the other file whose sensitive value is disclosed: all records that they match agree in it."""

    column: str
    people: int


@dataclass(frozen=True, slots=True)
class Linkage:
    """The result of the attack with another file.

    columns: those that both have. people: records of the other file. found: the records that so few of them match.
    nobody:
    records that none of them matches; hidden: records with `*` in all these columns. people_found: people who match
    exactly one record of the table. pairs: records and people who match only each other.
    """

    source: str
    columns: tuple[str, ...]
    people: int
    found: tuple[AtMost, ...]
    nobody: int
    hidden: int
    people_found: int
    pairs: int
    learned: tuple[Learned, ...]


@dataclass(frozen=True, slots=True, repr=False)
class RiskReport(Result):
    """How well a table hides the identity of the people its records are about.

    It contains no cell value, so it may be printed, logged and stored.

    counted: what a record is: a row, or a unit of the column with that role. rows: those of the table; units: how many
    distinct ones it has, None if rows are counted; records: the number that the figures refer to, where a unit counts
    once in each class that it has rows in; blank: records whose quasi-identifiers are all empty or `*`, as in
    suppressed rows; they form a class of their own. suspected: the classes that result if undeclared columns that the
    scan takes for quasi-identifiers are counted too.
    """

    source: str
    table: str | None
    rows: int
    units: int | None
    records: int
    counted: Literal["rows", "units"]
    columns: tuple[ColumnRole, ...]
    warnings: tuple[str, ...]
    classes: ClassSizes
    blank: int
    suspected: ClassSizes | None
    prosecutor: Risk
    population: Population | None
    sensitive: tuple[Sensitive, ...]
    column_sets: ColumnSets
    linkage: Linkage | None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python data, described by `piiscan/report/schemas/risk-1.json`.

        Infinite becomes None.
        """
        from piiscan.core.version import __version__

        return {"schema_version": SCHEMA_VERSION, "tool": {"name": "piiscan", "version": __version__}, **plain(self)}

    def _facts(self) -> Iterator[Fact]:
        yield "rows", self.rows
        if self.units is not None:
            yield "units", self.units
        yield "records", self.records
        yield "smallest_class", self.classes.smallest
        yield "unique_share", plain(self.classes.unique_share)
        yield "highest_risk", plain(self.prosecutor.highest)


def plain(value: Any) -> Any:
    """Data classes as dictionaries; floats to ten digits, so that the last bit of a sum doesn't show."""
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    return value
