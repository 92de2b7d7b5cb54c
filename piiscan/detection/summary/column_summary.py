"""The summary of one column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from piiscan.detection.summary.hit_counts import RuleHits
from piiscan.detection.summary.sample import Sample


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """`cells` cells, of which `nulls` are null, empty or white space; hits by rule id (only rules that matched
    something); a sample of the others' texts, white space around them removed."""

    cells: int = 0
    nulls: int = 0
    hits: Mapping[str, RuleHits] = field(default_factory=dict)
    sample: Sample = field(default_factory=Sample.empty, repr=False)
    over_budget: tuple[str, ...] = ()  # user rules that ran out of their time budget

    @staticmethod
    def empty() -> ColumnSummary:
        return ColumnSummary()

    @property
    def filled(self) -> int:
        return self.cells - self.nulls

    def __add__(self, other: ColumnSummary) -> ColumnSummary:
        hits = dict(self.hits)
        for rule, more in other.hits.items():
            hits[rule] = hits[rule] + more if rule in hits else more
        return ColumnSummary(
            self.cells + other.cells,
            self.nulls + other.nulls,
            hits,
            self.sample + other.sample,
            tuple(sorted({*self.over_budget, *other.over_budget})),
        )
