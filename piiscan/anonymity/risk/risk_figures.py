"""All measures of risk, computed from a histogram."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.classes import Classes, classes_of, tally
from piiscan.anonymity.hierarchies.hierarchy import TOP, Hierarchy
from piiscan.anonymity.histogram import Coded, Histogram, Ints
from piiscan.anonymity.models.closeness import TCloseness, groups_of, numeric, value_ranks
from piiscan.anonymity.models.diversity import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
)
from piiscan.anonymity.models.likeness import BasicBetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from piiscan.anonymity.models.model import View
from piiscan.anonymity.models.shares import Floats
from piiscan.anonymity.risk import attackers, column_sets, uniqueness
from piiscan.anonymity.risk.individual import individual_risk
from piiscan.anonymity.risk.linkage import Matches, match
from piiscan.anonymity.risk.risk_report import (
    AtMost,
    ClassSizes,
    ColumnSets,
    Contribution,
    Estimated,
    Exact,
    Learned,
    Linkage,
    Population,
    Sensitive,
    SingledOut,
    SizeRange,
)
from piiscan.anonymity.risk.uniqueness import SizeCounts

SIZES: Final = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""Where the ranges of class sizes begin."""
CANDIDATES: Final = (1, 2, 5, 10)
"""The linkage attack counts a record as found if it matches at most this many people."""
BEST: Final = 3
IDENTIFYING: Final = 20


@dataclass(frozen=True, slots=True)
class Roles:
    """The role of each column of a histogram, by its index."""

    quasi: tuple[int, ...]
    suspected: tuple[int, ...] = ()
    sensitive: tuple[int, ...] = ()
    unit: int | None = None
    weights: int | None = None

    @property
    def counted(self) -> tuple[int, ...]:
        """All columns that the histogram counts."""
        one = (c for c in (self.unit, self.weights) if c is not None)
        return tuple(sorted({*self.quasi, *self.suspected, *self.sensitive, *one}))


class CodedTable:
    """A histogram with its columns coded, and its classes.

    name: what a report calls a column. hierarchies: those of some columns, by index.
    """

    def __init__(
        self,
        histogram: Histogram,
        roles: Roles,
        name: Callable[[int], str],
        hierarchies: Mapping[int, Hierarchy] | None = None,
    ) -> None:
        self.roles = roles
        self.name = name
        self.hierarchies = hierarchies or {}
        self.rows = histogram.rows
        self.coded = {c: histogram.coded(c) for c in roles.counted}
        self.unit = None if roles.unit is None else self.coded[roles.unit].codes
        self._nobody = None if roles.unit is None else _code(self.coded[roles.unit], None)
        self.classes = self.grouped(roles.quasi)

    @property
    def units(self) -> int | None:
        """The number of distinct units, leaving out rows without a unit; None if rows are counted."""
        return self.units_in(self.classes, np.ones(len(self.classes.sizes), bool))

    def units_in(self, classes: Classes, chosen: npt.NDArray[np.bool_]) -> int | None:
        """Return how many distinct units have rows in some classes. chosen: (classes,)."""
        if self.unit is None:
            return None
        found = np.unique(self.unit[chosen[classes.of]])
        return len(found) - int(self._nobody is not None and self._nobody in found)

    @property
    def blank(self) -> int:
        """Records whose quasi-identifiers are all empty or `*`."""
        empty = [
            np.isin(c.codes, [i for i, v in enumerate(c.values) if v in (None, "", TOP)])
            for c in map(self.coded.__getitem__, self.roles.quasi)
        ]
        return int(self.classes.sizes[np.unique(self.classes.of[np.logical_and.reduce(empty)])].sum())

    def grouped(self, columns: Sequence[int]) -> Classes:
        """Return the classes formed by some columns."""
        picked = [self.coded[c] for c in columns]
        return classes_of([c.codes for c in picked], [len(c.values) for c in picked], self.rows, self.unit)


def _code(coded: Coded, value: str | None) -> int | None:
    return next((i for i, v in enumerate(coded.values) if v == value), None)


def sizes_of(counted: CodedTable, classes: Classes | None = None) -> ClassSizes:
    """Return the sizes of classes: those of the table, or others."""
    classes = counted.classes if classes is None else classes
    sizes = classes.sizes
    records, unique = int(sizes.sum()), int((sizes == 1).sum())
    ranges = []
    for least, following in pairwise((*SIZES, math.inf)):
        inside = sizes[(sizes >= least) & (sizes < following)]
        if len(inside):
            most = int(inside.max()) if following == math.inf else int(following) - 1
            ranges.append(SizeRange(int(least), most, len(inside), int(inside.sum())))
    return ClassSizes(
        len(sizes),
        int(sizes.min(initial=records)),
        int(sizes.max(initial=0)),
        records / max(1, len(sizes)),
        unique,
        unique / max(1, records),
        counted.units_in(classes, sizes == 1),
        tuple(ranges),
    )


def sensitive(counted: CodedTable, column: int) -> Sensitive:
    """Return what classes reveal about a sensitive column, compared with the whole table."""
    coded = counted.coded[column]
    of = tally(counted.classes, coded.codes, len(coded.values), counted.rows, counted.unit)
    view = View(counted.classes, {column: of})
    sizes = counted.classes.sizes
    certain = AlphaKAnonymity(column, 1, 1).levels(view) >= 1
    known, records = int(sizes[certain].sum()), int(sizes.sum())
    l = int(min(DistinctLDiversity(column, 1).value(view), len(coded.values)))  # noqa: E741 - the papers' own letter
    at = max(2, l)
    tree = counted.hierarchies.get(column)
    return Sensitive(
        column=counted.name(column),
        values=len(coded.values),
        certain=known,
        certain_share=known / max(1, records),
        certain_in_groups=int(sizes[certain & (sizes > 1)].sum()),
        certain_units=counted.units_in(counted.classes, certain),
        distinct_l=l,
        entropy_l=min(EntropyLDiversity(column, 1).value(view), float(len(coded.values))),
        recursive_l=at,
        recursive_c=RecursiveCLDiversity(column, 1, at).value(view),
        alpha=AlphaKAnonymity(column, 1, 1).value(view),
        t_equal=TCloseness(column, 1).value(view),
        t_hierarchical=TCloseness(column, 1, groups=groups_of(coded, tree)).value(view) if tree else None,
        t_ordered=TCloseness(column, 1, order=value_ranks(coded)).value(view) if numeric(coded) else None,
        beta_basic=BasicBetaLikeness(column, 1).value(view),
        beta_enhanced=EnhancedBetaLikeness(column, 1).value(view),
        delta=DeltaDisclosure(column, 1).value(view),
    )


def sets_of_columns(counted: CodedTable) -> ColumnSets:
    """Search for quasi-identifiers among the declared and the suspected columns."""
    candidates = sorted({*counted.roles.quasi, *counted.roles.suspected})
    picked = [counted.coded[c] for c in candidates]
    found = column_sets.search([c.codes for c in picked], [len(c.values) for c in picked], counted.rows, counted.unit)
    names = [counted.name(c) for c in candidates]

    def shown(s: column_sets.ColumnSet) -> SingledOut:
        return SingledOut(tuple(names[c] for c in s.columns), s.unique, s.distinct, s.separation)

    by_share = sorted(found.sets, key=lambda s: (len(s.columns), -s.unique, -s.separation, s.columns))
    best = [s for size in range(1, found.size + 1) for s in [s for s in by_share if len(s.columns) == size][:BEST]]
    return ColumnSets(
        tuple(names),
        found.size,
        tuple(map(shown, [s for s in by_share if s.minimal][:IDENTIFYING])),
        tuple(map(shown, best)),
        found.special.records,
        tuple(Contribution(n, share) for n, share in zip(names, found.special.contributions, strict=True)),
        found.special.highest,
    )


def sampled(counted: CodedTable, fraction: float) -> Population:
    """Return the figures of a population of which the table is a sample that contains `fraction` of it."""
    sizes = counted.classes.sizes
    return _estimated(
        "sampling fraction",
        sizes,
        individual_risk(sizes, sizes.astype(np.float64) / fraction),
        float(sizes.sum()) / fraction,
    )


def weighted(counted: CodedTable, weights: Floats) -> Population:
    """Return the figures of a population in which each row stands for `weights` members.

    weights: (entries,) 1 or more.
    """
    sizes = counted.classes.sizes
    sums: Floats = np.bincount(counted.classes.of, counted.rows * weights, len(sizes)).astype(np.float64)
    return _estimated("weights", sizes, individual_risk(sizes, sums), float(sums.sum()))


def _estimated(
    by: Literal["weights", "sampling fraction"], sizes: Ints, risks: Floats, population: float
) -> Population:
    sample = SizeCounts.of(sizes)
    risk = attackers.spread(sizes, risks)
    again = uniqueness.zayatz(sample, population)
    pitman = uniqueness.pitman(sample, population)
    if pitman is not None:
        pitman = min(1.0, pitman / population) if population else 0.0
    estimated = Estimated(
        again * sample.number(1) / max(1, sample.records),
        pitman,
        again,
        uniqueness.correct_match(sample, min(1.0, sample.records / population)) if population else None,
    )
    return Population(by, population, risk, risk.average, None, estimated)


def within(counted: CodedTable, other: Histogram, places_there: Sequence[int]) -> Population:
    """Return the figures for a known population: another histogram, with the quasi-identifiers at `places_there`."""
    found = _matched(counted, counted.roles.quasi, other, places_there)
    everybody, sizes = int(other.rows.sum()), found.sizes
    members = np.where(found.hidden, everybody, found.fitting)
    population = np.maximum(members, sizes)
    shares = sizes / population
    absent = bool((found.candidates == 0).any()) and not found.hidden.any()
    unique, records = int(sizes[population == 1].sum()), max(1, int(sizes.sum()))
    exact = Exact(
        int(population.min()), 0.0 if absent else float(shares.min()), float(shares.max()),
        unique, unique / records, int(sizes[members < sizes].sum()),
    )  # fmt: skip
    return Population(
        "file",
        float(everybody),
        attackers.journalist(sizes, population),
        float((sizes / population).sum() / records),
        exact,
        None,
    )


def linked(
    counted: CodedTable, columns: Sequence[int], other: Histogram, places_there: Sequence[int], source: str
) -> Linkage:
    """Return the result of an attack with another file.

    The file has some of the quasi-identifiers, `columns`, at `places_there`.
    """
    found = _matched(counted, columns, other, places_there)
    records = int(found.sizes.sum())
    seen = ~found.hidden
    few = [int(found.sizes[seen & (found.fitting >= 1) & (found.fitting <= n)].sum()) for n in CANDIDATES]
    return Linkage(
        source,
        tuple(counted.name(c) for c in columns),
        int(other.rows.sum()),
        tuple(AtMost(n, of, of / max(1, records)) for n, of in zip(CANDIDATES, few, strict=True)),
        int(found.sizes[seen & (found.fitting == 0)].sum()),
        int(found.sizes[found.hidden].sum()),
        int(other.rows[found.candidates == 1].sum()),
        found.pairs,
        tuple(Learned(counted.name(c), n) for c, n in zip(counted.roles.sensitive, found.learned, strict=True)),
    )


def _matched(counted: CodedTable, columns: Sequence[int], other: Histogram, places_there: Sequence[int]) -> Matches:
    there: list[Coded] = [other.coded(c) for c in places_there]
    trees = [counted.hierarchies.get(c) for c in columns]
    secret = [counted.coded[c].codes for c in counted.roles.sensitive]
    return match([counted.coded[c] for c in columns], counted.rows, there, other.rows, counted.unit, trees, secret)
