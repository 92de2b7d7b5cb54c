"""Exact counts of what a rule found in a column, and the first rows where it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

FIRST_ROWS = 5

Renumbering: TypeAlias = Callable[[tuple[int, ...]], tuple[int, ...]]
"""Other numbers for some rows: greater ones for greater ones, and none for those whose place isn't known."""


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

    def not_again(self, before: Hits) -> Hits:
        """Those of a piece of a row in earlier pieces of which these were found: the row counts once."""
        return replace(
            self,
            candidates=0 if before.candidates else self.candidates,
            cells=0 if before.cells else self.cells,
            first_rows=() if before.cells else self.first_rows,
            other_rows=() if before.other_rows else self.other_rows,
        )

    def renumbered(self, number: Renumbering) -> Hits:
        """The same, with other numbers of its rows."""
        return replace(self, first_rows=number(self.first_rows), other_rows=number(self.other_rows))


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

    def not_again(self, before: RuleHits) -> RuleHits:
        """Those of a piece of a row in earlier pieces of which these were found: the row counts once."""
        found = before.whole + before.within
        return RuleHits(self.whole.not_again(found), self.within.not_again(found))

    def renumbered(self, number: Renumbering) -> RuleHits:
        """The same, with other numbers of its rows."""
        return RuleHits(self.whole.renumbered(number), self.within.renumbered(number))
