"""Generalisation hierarchies: what each value of a quasi-identifier becomes, level by level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from piiscan.anonymity.histogram import Ints, coded
from piiscan.errors import UsageError

TOP: Final = "*"
Label = str | None
_ROW: Final = "row"


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

        A row that comes again counts once. Labels of different levels may have the same text. Raises `UsageError`, which counts rows from 1,
        where rows are of different lengths, a value comes with different labels, or a level takes apart what the one below put together.
        """
        table = _table(column, list(rows))
        names = [name for name in table.columns if name != _ROW]
        if table[names[-1]].n_unique() > 1:
            names.append(str(len(names)))
            table = table.with_columns(pl.lit(TOP).alias(names[-1]))
        numbers = table[_ROW].to_numpy()
        found = [coded(table[name]) for name in names]
        for level, (below, here) in enumerate(pairwise(found), 1):
            row_of = np.zeros(len(below.values), np.int64)  # any row of each group below
            row_of[below.codes] = np.arange(len(table))
            apart = np.flatnonzero(here.codes != here.codes[row_of[below.codes]])
            if len(apart):
                one, other = sorted((numbers[apart[0]], numbers[row_of[below.codes[apart[0]]]]))
                raise UsageError(
                    f"level {level} of the hierarchy of {column} parts rows {one} and {other}, which have one label at level {level - 1}: "
                    "groups may only be put together"
                )
        return cls(column, found[0].values, tuple(c.values for c in found), tuple(c.codes for c in found))

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
        places = self._places
        missing = sum(v not in places for v in values)
        if missing:
            raise UsageError(
                f"the hierarchy of {self.column} lacks {missing} of the column's {len(values)} different values; add a row for each, "
                "an empty first cell for empty cells"
            )
        return np.fromiter((places[v] for v in values), np.int64, len(values))

    @cached_property
    def _places(self) -> dict[Label, int]:
        places = {leaf: i for i, leaf in enumerate(self.leaves)}
        for empty, other in ((None, ""), ("", None)):  # the one cell in a CSV file that is both
            if other in places:
                places.setdefault(empty, places[other])
        return places


def _table(column: str, rows: list[Sequence[Label]]) -> pl.DataFrame:
    """A column of text for each level, and the number of the row; sorted by value, and each value once."""
    wide = len(rows[0]) if rows else 0
    if not wide:
        raise UsageError(f"the hierarchy of {column} needs at least one row, and a value in each")
    for number, row in enumerate(rows, 1):
        if len(row) != wide:
            raise UsageError(
                f"row {number} of the hierarchy of {column} has {len(row)} cells, and row 1 has {wide}: "
                "each value needs one label on every level"
            )
    if not all(cell is None or isinstance(cell, str) for row in rows for cell in row):
        raise UsageError(f"the hierarchy of {column} may hold nothing but text and None")
    cells = [pl.Series(str(i), column_of, pl.String) for i, column_of in enumerate(zip(*rows, strict=True))]
    names = [c.name for c in cells]
    # As 64 bits, for numpy's sake.
    table = pl.DataFrame(cells).with_row_index(_ROW, 1).cast({_ROW: pl.Int64}).unique(names, keep="first", maintain_order=True)
    twice = table.filter(pl.col("0").is_duplicated()).sort("0", maintain_order=True)[_ROW]
    if len(twice):
        raise UsageError(f"rows {twice[0]} and {twice[1]} of the hierarchy of {column} have one value and different labels")
    return table.sort("0", nulls_last=True)
