"""Neighbouring bins of numeric columns that are measured together in pairs of columns.

Noise in a cell is the same whether the cell stands for thousands of rows or for none, so bins with few rows are merged
into groups before pairs are measured. Groups follow from released counts of single columns alone, so they cost nothing.
Within a group, codes are distributed as in their column, independently of other columns.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats, Scope

Number = TypeVar("Number", np.int64, np.float64)
CELL_ROWS: Final = 2.0
"""Rows that are expected in the cell of two of the smallest groups, as a multiple of the noise in it."""


class CodeGroups(NamedTuple):
    """For each column, the first code of each of its groups, ascending from 0, and the share of each code in its group.

    Groups are ranges of codes.
    """

    starts: tuple[Ints, ...]
    within: tuple[Floats, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of groups of each column."""
        return tuple(len(starts) for starts in self.starts)

    def of(self, column: int) -> Ints:
        """Return the group of each code of a column."""
        starts = self.starts[column]
        return np.repeat(np.arange(len(starts)), self.lengths(column))

    def lengths(self, column: int) -> Ints:
        """Return the number of codes in each group of a column."""
        return np.diff(self.starts[column], append=len(self.within[column]))

    def summed(self, table: npt.NDArray[Number], scope: Scope) -> npt.NDArray[Number]:
        """Sum a table by the codes of `scope`, in their shape, to one by their groups."""
        for axis, column in enumerate(scope):
            table = np.add.reduceat(table, self.starts[column], axis=axis)
        return table


def unmerged(sizes: Sequence[int]) -> CodeGroups:
    """Return groups of one code each."""
    return CodeGroups(tuple(np.arange(size) for size in sizes), tuple(np.ones(size) for size in sizes))


def merged(
    shares: Mapping[Scope, Floats],
    numeric: Collection[int],
    rows: float,
    deviation: float,
    private: Collection[int] = (),
) -> CodeGroups:
    """Merge bins of numeric columns until every group has enough rows for a table of pairs.

    shares: the share of each code of each column, from released counts.
    numeric: columns whose codes are bins in ascending order, followed by the code of missing values, which stays alone.
    rows, deviation: the released number of rows, and the standard deviation of noise in tables of pairs.

    A group has at least √(CELL_ROWS · deviation / rows) of the rows, the last one at least half of that, unless all
    bins together have less. Half of that is enough in a column whose bins were found from the data (`private`): where
    most rows have one number, the others would be a single group.
    """
    least = math.sqrt(CELL_ROWS * deviation / rows)
    starts, within = [], []
    for column in range(len(shares)):
        own = shares[(column,)]
        first = (
            _starts(own[:-1], least / 2 if column in private else least) if column in numeric else np.arange(len(own))
        )
        starts.append(np.append(first, len(own) - 1) if column in numeric else first)
        lengths = np.diff(starts[-1], append=len(own))
        whole = np.repeat(np.add.reduceat(own, starts[-1]), lengths)
        within.append(np.where(whole > 0, own / np.where(whole > 0, whole, 1), 1 / np.repeat(lengths, lengths)))
    return CodeGroups(tuple(starts), tuple(within))


def _starts(shares: Floats, least: float) -> Ints:
    """Return where groups of bins start."""
    starts, held = [0], 0.0
    for code, share in enumerate(shares):
        if held >= least:
            starts.append(code)
            held = 0.0
        held += float(share)
    if held < least / 2 and len(starts) > 1:
        starts.pop()
    return np.array(starts, dtype=np.int64)
