"""How often values and people occur in a table's columns, and what that reveals through equal masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from piiscan.core.types import ColumnReport, TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.masking.plan.plan_types import Subject, TablePlan
from piiscan.masking.plan.plan_writer import labelled
from piiscan.masking.plan.rank_attack import share_guessed

FEW: Final = 50
"""Up to so many different values, each standing in `OFTEN` cells or more on average, count as few: how often each
occurs tells which it is."""
OFTEN: Final = 5
REVEALED: Final = "how often each occurs reveals which it is"
"""In the notes of columns of few values that are masked nevertheless."""
_LEAVES_NOTHING: Final = frozenset(("keep", "suppress", "drop", "redact"))
_OF_PEOPLE: Final = frozenset(("EMAIL_ADDRESS", "PERSON_ID", "USERNAME", "PERSON", "FIRST_NAME", "LAST_NAME", "URL"))


def few(distinct: int, filled: int) -> bool:
    """Whether a column has so few values, or people, that the frequency of equal masks would reveal them."""
    return 0 < distinct <= FEW and filled >= OFTEN * distinct


def revealed(tables: Sequence[TablePlan]) -> Iterator[str]:
    """What a new plan says of columns of few values that it masks nevertheless, with their names."""
    for where, action in labelled(tables):
        for note in action.notes:
            if REVEALED in note and action.accept_frequency:
                yield f"{where}: {note}"


class Frequencies(NamedTuple):
    """The frequencies of a table, by column.

    Its `filled` cells, its `distinct` values, and the share of cells that an attacker can guess from frequency ranks
    alone (`guessed`; 0 where it wasn't computed). `names`: parts of people in sampled rows, where each column has few
    values.
    """

    filled: tuple[int, ...]
    distinct: tuple[int, ...]
    guessed: tuple[float, ...]
    names: tuple[tuple[str | None, ...], ...]

    @classmethod
    def of(cls, report: TableReport, summary: TableSummary, operators: Sequence[str]) -> Frequencies:
        """`operators`: what the policy names for each column."""
        columns = list(zip(report.columns, summary.columns, operators, strict=True))
        guessed = tuple(
            share_guessed([n for _, n in found.sample.items], column.distinct, found.filled)
            if operator not in _LEAVES_NOTHING or column.entity in _OF_PEOPLE
            else 0.0
            for column, found, operator in columns
        )
        return cls(
            tuple(found.filled for _, found, _ in columns),
            tuple(c.distinct for c in report.columns),
            guessed,
            _names(report.columns, summary),
        )

    def people(self, subject: Subject) -> int:
        """How many people a subject's columns distinguish, at least."""

        def together(key: tuple[int, ...]) -> int:
            seen = {tuple(row[i] for i in key) for row in self.names} if len(key) > 1 else ()
            return max(len(seen), *(self.distinct[i] for i in key))

        return max(map(together, subject.keys))

    def cells(self, subject: Subject) -> int:
        """In how many rows there is somebody, at least."""
        return max(self.filled[i] for key in subject.keys for i in key)

    def guessed_people(self, subject: Subject) -> float:
        """The share of rows whose person can be guessed from frequency ranks alone, at most.

        By the key that most rows have, and the part of it that reveals least.
        """
        key = max(subject.keys, key=lambda key: min(self.filled[i] for i in key))
        return min(self.guessed[i] for i in key)


def _names(columns: Sequence[ColumnReport], summary: TableSummary) -> tuple[tuple[str | None, ...], ...]:
    people = {c.index for c in columns if c.entity in _OF_PEOPLE}
    if len(people) < 2 or any(columns[i].distinct > FEW for i in people):
        return ()
    return tuple(
        tuple(cell if i in people else None for i, cell in enumerate(row)) for row, _ in summary.row_sample.items
    )
