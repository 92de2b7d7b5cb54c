"""The generalisation hierarchy: the labels that replace each value of a quasi-identifier, level by level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.histogram import Ints
from piiscan.core.errors import UsageError

TOP: Final = "*"
Label = str | None


@dataclass(frozen=True, eq=False, repr=False)  # it holds values
class Hierarchy:
    """A tree over the values of a column.

    Level 0 is the values themselves; each level's groups are unions of groups of the level below.

    column: its name, for messages.
    leaves: the distinct values; None is the empty cell.
    labels: for each level, the labels of its groups, sorted, None last; `labels[0]` are the leaves in that order.
    groups: for each level, (leaves,) the index of each leaf's label.
    """

    column: str
    leaves: tuple[Label, ...]
    labels: tuple[tuple[Label, ...], ...]
    groups: tuple[Ints, ...]

    @classmethod
    def of(cls, column: str, rows: Iterable[Sequence[Label]]) -> Hierarchy:
        """Build a hierarchy from rows of a value and its labels at level 1, 2, …, as ARX writes them.

        If the last level has more than one label, a level "*" is added. Empty text is the empty cell, None. A
        repeated row counts once. Labels of different levels may have the same text.

        Raises `UsageError`, which counts rows from 1, if rows differ in length, a value occurs with different labels,
        or a level separates values that the level below has joined.
        """
        table, numbers = _table(column, rows)
        if len({row[-1] for row in table}) > 1:
            table = [(*row, TOP) for row in table]
        labels: list[tuple[Label, ...]] = []
        groups: list[Ints] = []
        for level, cells in enumerate(zip(*table, strict=True)):
            names = _names(column, cells)
            code_of = {name: i for i, name in enumerate(names)}
            codes = np.fromiter(map(code_of.__getitem__, cells), np.int64, len(cells))
            if level:
                member = np.zeros(len(labels[-1]), np.int64)  # a row of each group below
                member[groups[-1]] = np.arange(len(cells))
                apart = np.flatnonzero(codes != codes[member[groups[-1]]])
                if len(apart):
                    one, other = sorted((numbers[apart[0]], numbers[member[groups[-1][apart[0]]]]))
                    raise UsageError(
                        f"level {level} of the hierarchy of {column} gives rows {one} and {other} different "
                        f"labels, though they share one at level {level - 1}; a level may only join groups of the "
                        "level below"
                    )
            labels.append(names)
            groups.append(codes)
        by_leaf = np.argsort(groups[0])
        return cls(column, labels[0], tuple(labels), tuple(codes[by_leaf] for codes in groups))

    @property
    def levels(self) -> int:
        """The number of levels, level 0 included."""
        return len(self.labels)

    @cached_property
    def loss(self) -> tuple[npt.NDArray[np.float64], ...]:
        """Return for each level and label (leaves under it - 1) / (all leaves - 1), in 0..1.

        This is the normalised certainty penalty (Xu et al., KDD 2006).
        """
        under = max(1, len(self.leaves) - 1)
        return tuple(
            (np.bincount(g, minlength=len(names)) - 1) / under
            for g, names in zip(self.groups, self.labels, strict=True)
        )

    def codes(self, values: Sequence[Label]) -> Ints:
        """(values,) the index of each value's leaf.

        Raises `UsageError` if values are missing from the hierarchy; the message says how many, not which.
        """
        places = self._places
        missing = sum((v or None) not in places for v in values)
        if missing:
            raise UsageError(
                f"the hierarchy of {self.column} lacks {missing} of the column's {len(values)} different values; "
                "add a row for each of them (for empty cells, a row whose first cell is empty)"
            )
        return np.fromiter((places[v or None] for v in values), np.int64, len(values))

    @cached_property
    def _places(self) -> dict[Label, int]:
        return {leaf: i for i, leaf in enumerate(self.leaves)}


def _table(column: str, rows: Iterable[Sequence[Label]]) -> tuple[list[tuple[Label, ...]], list[int]]:
    """The rows as tuples, each once, and their numbers."""
    found: dict[Label, tuple[tuple[Label, ...], int]] = {}
    wide = 0
    for number, row in enumerate(map(tuple, rows), 1):
        if not all(row):
            row = tuple(None if cell == "" else cell for cell in row)
        wide = wide or len(row)
        if len(row) != wide:
            raise UsageError(
                f"row {number} of the hierarchy of {column} has {len(row)} cells and row 1 has {wide}; give each "
                "value one label on every level"
            )
        if row and found.setdefault(row[0], (row, number))[0] != row:
            raise UsageError(
                f"rows {found[row[0]][1]} and {number} of the hierarchy of {column} have the same value and "
                "different labels; delete one of them"
            )
    if not wide:
        raise UsageError(f"the hierarchy of {column} needs at least one row, and a value in each")
    return [row for row, _ in found.values()], [number for _, number in found.values()]


def _names(column: str, cells: tuple[Label, ...]) -> tuple[Label, ...]:
    """The different labels, sorted, None last."""
    different = set(cells)
    names = sorted(name for name in different if isinstance(name, str))
    empty = (None,) if None in different else ()
    if len(names) + len(empty) < len(different):
        raise UsageError(f"the hierarchy of {column} may contain only text and None")
    return (*names, *empty)
