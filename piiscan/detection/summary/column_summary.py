"""The summary of one column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from piiscan.detection.summary.hit_counts import Renumbering, RuleHits
from piiscan.detection.summary.sample import Sample

TOGETHER: Final = frozenset(("PHONE_NUMBER",))
"""Entities whose rules take the same digits for those of several countries: the cells of all rules without a check are
also counted once together."""


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The exact counts of a column, and a sample.

    `cells` cells, of which `nulls` are null, empty or white space; hits by rule id (only rules that matched
    something); a sample of the others' texts, without surrounding white space. `together`, by entity of TOGETHER: the
    cells that any `anywhere` rule matches as a whole, and the others within which any rule but those for whole cells
    found something.
    `unreserved`: entities that have reserved values, but not every filled cell is one as a whole; `others`: entities
    for which some filled cell is a value that nobody accepted. `files`: how many cells hold a file, by its kind.
    """

    cells: int = 0
    nulls: int = 0
    hits: Mapping[str, RuleHits] = field(default_factory=dict)
    sample: Sample = field(default_factory=Sample.empty, repr=False)
    over_budget: tuple[str, ...] = ()  # user rules that ran out of their time budget
    together: Mapping[str, RuleHits] = field(default_factory=dict)
    unreserved: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    files: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def empty() -> ColumnSummary:
        return ColumnSummary()

    @property
    def filled(self) -> int:
        return self.cells - self.nulls

    @property
    def distinct(self) -> int:
        """How many different values there are; the estimate of a full sample may be more than there are cells."""
        return min(self.sample.distinct, self.filled)

    def __add__(self, other: ColumnSummary) -> ColumnSummary:
        return self.sum((other,))

    def sum(self, others: Sequence[ColumnSummary]) -> ColumnSummary:
        """The summary of all together."""
        every = (self, *others)
        hits, together = dict(self.hits), dict(self.together)
        for other in others:
            for rule, more in other.hits.items():
                hits[rule] = hits[rule] + more if rule in hits else more
            for entity, cells in other.together.items():
                together[entity] = together.get(entity, RuleHits()) + cells
        return ColumnSummary(
            sum(one.cells for one in every),
            sum(one.nulls for one in every),
            hits,
            self.sample.sum([other.sample for other in others]),
            _all(one.over_budget for one in every),
            together,
            _all(one.unreserved for one in every),
            _all(one.others for one in every),
            _added(one.files for one in every),
        )

    def not_again(self, before: ColumnSummary) -> ColumnSummary:
        """The same of a piece of a row in earlier pieces of which `before` was counted: hits count once in a row.

        Its cells do not: a row whose first pieces are blank isn't empty.
        """
        hits, together = (
            {key: found.not_again(seen[key]) if key in seen else found for key, found in own.items()}
            for own, seen in ((self.hits, before.hits), (self.together, before.together))
        )
        return replace(self, hits=hits, together=together)

    def renumbered(self, number: Renumbering) -> ColumnSummary:
        """The same, with other numbers of its rows."""
        hits, together = (
            {key: found.renumbered(number) for key, found in counted.items()} for counted in (self.hits, self.together)
        )
        return replace(self, hits=hits, together=together)


def _added(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(sorted(total.items()))


def _all(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    different = set(parts)
    return different.pop() if len(different) == 1 else tuple(sorted(set().union(*different)))
