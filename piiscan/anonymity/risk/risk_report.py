"""What is said of a table's risk: counts, shares and names of columns; never a value."""

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
    """What a column counts as. declared: by the caller, else by the scan, which takes it for `entity`. distinct: its
    values, None where that is an estimate."""

    index: int
    name: str
    role: Role
    declared: bool
    entity: str | None
    distinct: int | None


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Classes of `least` to `most` records: how many there are, and how many records they have."""

    least: int
    most: int
    classes: int
    records: int


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """The equivalence classes: their number, their least size (the k of k-anonymity), largest and mean size, and the
    records that are alone. unique_units: the units that are alone in a class or more; None where rows are counted."""

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
    """How well classes hide a sensitive column. `values` are all different ones; for the models see
    `piiscan.anonymity.models.model`.

    certain: records whose value is known to whoever finds their class, since all in it have it; certain_in_groups:
    those of them that aren't alone in their class; certain_units: the units of which it is known, None where rows are
    counted. recursive_l is the l that recursive_c belongs to. Infinite where no
    c, β or δ is enough. t_ordered: None for a column that isn't numbers; t_hierarchical: None for one without a
    hierarchy.
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
    """Beside the population itself. k_map: the least size of a class in it. presence_low, presence_high: the least and
    greatest share of a class's population that is in the table. unique: records whose class has one member in the
    population. outside: records of classes that have fewer members in the population than in the table, which then
    isn't a part of it; they count as if all their population were in the table."""

    k_map: int
    presence_low: float
    presence_high: float
    unique: int
    unique_share: float
    outside: int


@dataclass(frozen=True, slots=True)
class Estimated:
    """From the sizes of the sample's classes. zayatz, pitman: share of the population that is unique in it; pitman is
    None where the model doesn't fit.
    unique_is_unique: the probability that a record that is unique in the table is so in the population (Zayatz).
    correct_match: the probability that a match with such a record is right (Skinner and Elliot); None where no class is
    of one or two records."""

    zayatz: float
    pitman: float | None
    unique_is_unique: float
    correct_match: float | None


@dataclass(frozen=True, slots=True)
class Population:
    """Figures that need a population. journalist: the risk of records where nobody knows who is in the table; marketer:
    the share of all records that is found on average by matching everybody."""

    by: Literal["file", "weights", "sampling fraction"]
    size: float
    journalist: Risk
    marketer: float
    exact: Exact | None
    estimated: Estimated | None


@dataclass(frozen=True, slots=True)
class SingledOut:
    """A set of columns: the share of records that nobody shares its values with, combinations for each record, and
    the share of pairs it tells apart."""

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
    """Which few columns single records out. candidates: those looked at; largest: the largest sets. identifying: the
    smallest sets that single out most records; best: the sets of each size that single out most. special: for each size
    from 1 on, the records whose smallest unique set has it;
    contributions: how much each column does to it."""

    candidates: tuple[str, ...]
    largest: int
    identifying: tuple[SingledOut, ...]
    best: tuple[SingledOut, ...]
    special: tuple[int, ...]
    contributions: tuple[Contribution, ...]
    highest_score: int


@dataclass(frozen=True, slots=True)
class AtMost:
    """Records that at least one and at most so many people of the other file fit."""

    candidates: int
    records: int
    share: float


@dataclass(frozen=True, slots=True)
class Learned:
    """People of the other file whose value of a sensitive column is told: all records that they fit agree in it."""

    column: str
    people: int


@dataclass(frozen=True, slots=True)
class Linkage:
    """The attack with another file. columns: those that both have. people: records of the other file. found: how many
    records so few of them fit.
    nobody: records that none of them fits; hidden: records with `*` in all these columns. people_found: people whom one
    record of the table fits alone.
    pairs: one record and one of the people who fit each other and nobody else."""

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
    """How well a table hides whom its records are about. Holds no cell value, so it may be printed, logged and stored.

    counted: what a record is: a row, or a unit of the column of that role. rows: of the table; units: how many
    different ones it has, None where rows are counted; records: what the figures are of, a unit counting once in each
    class it has rows in; blank: those whose quasi-identifiers are all
    empty or `*`, as suppressed ones are: a class of their own. suspected: the classes if the columns that the scan
    takes for quasi-identifiers, and nobody has declared, counted too.
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
        """As plain Python data; `piiscan/report/schemas/risk-1.json` describes it. What is infinite is None."""
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
