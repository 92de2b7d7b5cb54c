"""Generalisation hierarchies: what each value of a quasi-identifier becomes, level by level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.histogram import Ints
from piiscan.errors import UsageError

TOP: Final = "*"
Label = str | None


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over the values of a column. Level 0 is the values themselves; each level's groups are made of whole groups of the one below.

    column: whose it is, for messages.
    leaves: the values, all different; None is the empty cell.
    labels: for each level, the labels of its groups, sorted, None last; `labels[0]` are the leaves in that order.
    groups: for each level, (leaves,) which of the labels each leaf has.
    """

    column: str
    leaves: tuple[Label, ...]
    labels: tuple[tuple[Label, ...], ...]
    groups: tuple[Ints, ...]

    @classmethod
    def of(cls, column: str, rows: Iterable[Sequence[Label]]) -> Hierarchy:
        """Out of rows of a value and its label at level 1, 2, … as ARX writes them. A last level of one label, "*", is added where there is none.

        Raises `UsageError` where rows are of different lengths, a value comes twice, or a level takes apart what the one below put together.
        """
        table = sorted({tuple(row) for row in rows}, key=_order)
        lengths = {len(row) for row in table}
        if len(lengths) != 1 or not min(lengths):
            raise UsageError(f"the hierarchy of {column} must have as many levels for each value")
        if len({row[0] for row in table}) < len(table):
            raise UsageError(f"the hierarchy of {column} has a value twice, with different labels")
        if len({row[-1] for row in table}) > 1:
            table = [(*row, TOP) for row in table]
        labels: list[tuple[Label, ...]] = []
        groups: list[Ints] = []
        for level, cells in enumerate(zip(*table, strict=True)):
            names = tuple(sorted(set(cells), key=_key))
            place = {name: i for i, name in enumerate(names)}
            codes = np.fromiter((place[c] for c in cells), np.int64, len(cells))
            if level and len(set(zip(groups[-1].tolist(), codes.tolist(), strict=True))) > len(labels[-1]):
                raise UsageError(
                    f"level {level} of the hierarchy of {column} splits a group of the level below: groups may only be put together"
                )
            labels.append(names)
            groups.append(codes)
        return cls(column, tuple(row[0] for row in table), tuple(labels), tuple(groups))

    @property
    def levels(self) -> int:
        """How many there are, level 0 included."""
        return len(self.labels)

    @cached_property
    def loss(self) -> tuple[npt.NDArray[np.float64], ...]:
        """For each level and label: (leaves under it - 1) / (all leaves - 1), in 0..1: the normalised certainty penalty (Xu et al., KDD 2006)."""
        under = max(1, len(self.leaves) - 1)
        return tuple((np.bincount(g, minlength=len(names)) - 1) / under for g, names in zip(self.groups, self.labels, strict=True))

    def codes(self, values: Sequence[Label]) -> Ints:
        """(values,) the leaf of each value. Raises `UsageError` where some value has none; it says how many, not which."""
        place = {leaf: i for i, leaf in enumerate(self.leaves)}
        missing = sum(v not in place for v in values)
        if missing:
            raise UsageError(
                f"the hierarchy of {self.column} lacks {missing} of the column's {len(values)} different values; add a row for each, "
                "an empty first cell for empty cells"
            )
        return np.fromiter((place[v] for v in values), np.int64, len(values))


def _key(label: Label) -> tuple[bool, str]:
    return (label is None, label or "")


def _order(row: Sequence[Label]) -> list[tuple[bool, str]]:
    return [_key(label) for label in row]
