"""Exact counts of what a rule found in a column, and the first rows where it did."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_ROWS = 5


@dataclass(frozen=True, slots=True)
class Hits:
    """`candidates` cells match the pattern, `cells` of them pass the check too; `first_rows` are the lowest row numbers
    of the latter, at most FIRST_ROWS, empty where positions aren't known."""

    candidates: int = 0
    cells: int = 0
    first_rows: tuple[int, ...] = ()

    @staticmethod
    def empty() -> Hits:
        return Hits()

    def __add__(self, other: Hits) -> Hits:
        rows = tuple(sorted(self.first_rows + other.first_rows)[:FIRST_ROWS])
        return Hits(self.candidates + other.candidates, self.cells + other.cells, rows)


@dataclass(frozen=True, slots=True)
class RuleHits:
    """Cells that are, as a whole, a value of the rule; and cells that hold one within more text. Disjoint."""

    whole: Hits = Hits()
    within: Hits = Hits()

    @staticmethod
    def empty() -> RuleHits:
        return RuleHits()

    def __add__(self, other: RuleHits) -> RuleHits:
        return RuleHits(self.whole + other.whole, self.within + other.within)
