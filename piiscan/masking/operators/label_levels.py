"""Generalisation hierarchies: for each value, its label at level 1, 2 and so on up to `*`.

The rows are as ARX has them (Prasser et al., *Flexible data anonymization using ARX*, 2020). `piiscan.anonymity` reads
them from files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from piiscan.core.errors import UsageError

TOP: Final = "*"


@dataclass(frozen=True)
class Levels:
    """A hierarchy.

    `rows` are value, level 1, level 2, …, `*`: all as long, each value once, each label below one label only.
    """

    rows: tuple[tuple[str, ...], ...]

    @cached_property
    def height(self) -> int:
        """The highest level, at which everything is `*`."""
        return len(self.rows[0]) - 1

    def at(self, level: int) -> dict[str, str]:
        """Value → label at this level, 0 the value itself."""
        return {row[0]: row[level] for row in self.rows}


def levels_of(rows: Sequence[Sequence[str]], where: str) -> Levels:
    """The hierarchy of these rows, `*` added on top where it isn't there.

    Raises `UsageError` that says which row, counted from 1, is wrong. No message repeats a value.
    """
    stripped = [tuple(cell.strip() for cell in row) for row in rows]
    if not stripped or not stripped[0]:
        raise UsageError(f"{where}: a hierarchy needs at least one row")
    wide = len(stripped[0])
    if any(row[-1] != TOP for row in stripped if row):
        stripped = [(*row, TOP) for row in stripped]
        wide += 1
    first_row: dict[str, int] = {}
    above: dict[tuple[int, str], str] = {}
    for number, row in enumerate(stripped, 1):
        if len(row) != wide:
            raise UsageError(f"{where}: row {number} of the hierarchy has another number of levels than row 1")
        if row[0] in first_row:
            raise UsageError(
                f"{where}: rows {first_row[row[0]]} and {number} of the hierarchy have the same "
                "value; delete one of them"
            )
        first_row[row[0]] = number
        for level in range(1, wide - 1):
            if above.setdefault((level, row[level]), row[level + 1]) != row[level + 1]:
                raise UsageError(
                    f"{where}: row {number} of the hierarchy puts a label of level {level} below two labels"
                )
    return Levels(tuple(stripped))


def from_groups(groups: Mapping[str, Sequence[str]], where: str) -> Levels:
    """The hierarchy of one level that puts values into groups."""
    return levels_of([(value, label) for label, values in groups.items() for value in values], where)
