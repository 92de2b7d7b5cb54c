"""Exact counts of what a rule found in a column, and the first rows where it did."""

from __future__ import annotations

from dataclasses import dataclass, replace

FIRST_ROWS = 5


@dataclass(frozen=True, slots=True)
class Hits:
    """The hits of a rule in a column.

    `candidates` cells match the pattern, `cells` of them also pass the check; `first_rows` are the lowest row numbers
    of the latter, at most FIRST_ROWS, empty if positions aren't known.

    `unreserved`: whether a value that isn't reserved (`piiscan.rules.reserved_values`) occurs in any of the `cells`;
    `others`: whether one does that nobody has accepted (`piiscan.detection.matching.quiet_values`), and
    `other_rows` the first rows of those.
    """

    candidates: int = 0
    cells: int = 0
    first_rows: tuple[int, ...] = ()
    unreserved: bool = False
    others: bool = False
    other_rows: tuple[int, ...] = ()

    @staticmethod
    def empty() -> Hits:
        return Hits()

    def __add__(self, other: Hits) -> Hits:
        return Hits(
            self.candidates + other.candidates,
            self.cells + other.cells,
            _first(self.first_rows, other.first_rows),
            self.unreserved or other.unreserved,
            self.others or other.others,
            _first(self.other_rows, other.other_rows),
        )

    def moved(self, rows: int) -> Hits:
        """The same, so many rows further down."""
        first, other = (tuple(row + rows for row in found) for found in (self.first_rows, self.other_rows))
        return replace(self, first_rows=first, other_rows=other)


def _first(some: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(some + more)[:FIRST_ROWS])


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

    def moved(self, rows: int) -> RuleHits:
        """The same, so many rows further down."""
        return RuleHits(self.whole.moved(rows), self.within.moved(rows))
