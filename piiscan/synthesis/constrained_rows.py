"""Numbers of drawn rows that satisfy declared constraints.

Chance and public facts alone: no data, so nothing here costs ε.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.synthesis import constraints as c
from piiscan.synthesis import junction_tree as t
from piiscan.synthesis.constraints import Grid, Order

if TYPE_CHECKING:
    import numpy.typing as npt

    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats, Scope

IMPOSSIBLE: Final = 1e-12
"""The factor of combinations that can't occur. It isn't 0, so that a distribution with nothing else still adds up."""
_TRIES: Final = 100


@dataclass(frozen=True)
class Numbers:
    """A column of drawn numbers, in units of its last digit; what `missing` cells hold is meaningless."""

    grid: Grid
    units: Ints
    missing: npt.NDArray[np.bool_]


def possible(
    orders: Sequence[Order], names: Sequence[str], grids: Mapping[str, Grid], groups: Sequence[Ints]
) -> dict[Scope, npt.NDArray[np.bool_]]:
    """Return for each two columns in order which groups of their bins have numbers in order.

    groups: of each code of each column.
    """
    found: dict[Scope, npt.NDArray[np.bool_]] = {}
    for own in orders:
        low, high = (names.index(name) for name in own.columns)
        (low_digits, low_bins), (digits, bins) = grids[own.low], grids[own.high]
        starts = np.array([low_bins[i][0] for i in np.unique(groups[low], return_index=True)[1][:-1]])
        last = np.searchsorted(groups[high], np.arange(groups[high][-1]), side="right") - 1
        ends = np.array([c.below(bins[i][1] - 1, digits, low_digits, own.strict) + 1 for i in last])
        c.add_possible(found, (low, high), starts, ends)
    return found


def factor_of(table: npt.NDArray[np.bool_]) -> Floats:
    """Return the factor for a table of which combinations can occur."""
    return np.where(table, 1.0, IMPOSSIBLE)


def with_room(
    factors: Mapping[Scope, Floats], sizes: Sequence[int], scopes: Iterable[Scope], most: float
) -> dict[Scope, Floats]:
    """Return the factors that a distribution with tables of `scopes` has room for, in at most `most` cells."""
    found: dict[Scope, Floats] = {}
    held = list(scopes)
    for scope, factor in sorted(factors.items()):
        if t.cells(sizes, t.triangulated(sizes, [*held, *found, scope])) <= most:
            found[scope] = factor
    return found


def arrange(
    allowed: Mapping[Scope, npt.NDArray[np.bool_]],
    codes: list[Ints],
    groups: Sequence[Ints],
    redrawn: Callable[[int, Ints], Ints],
    random: np.random.Generator,
    fixed: Collection[int] = (),
) -> None:
    """Rearrange codes (in place) within the groups of each column, so that rows have bins with numbers in order.

    allowed: which codes of two columns have numbers in order. redrawn: draws codes of a column again for some rows,
    from their groups. Rows swap codes with others of the same group, so that each code stays as frequent as it was.
    Rows that no swap helped are drawn again within their groups. fixed: columns that stay as they are.
    """
    columns = sorted({column for scope in allowed for column in scope} - {*fixed})
    rows = np.flatnonzero(_impossible(allowed, codes))
    alike = {column: _RowsByGroup.of(groups[column][codes[column]]) for column in (columns if len(rows) else ())}
    for _ in range(_TRIES):
        for column in columns:
            rows = _swap(allowed, codes, column, rows, alike[column].others(rows, random)) if len(rows) else rows
    for _ in range(_TRIES):
        for column in columns if len(rows) else ():
            codes[column][rows] = redrawn(column, rows)
        rows = rows[_impossible(allowed, codes, rows) > 0]


def settle(
    orders: Sequence[Order], numbers: Mapping[str, Numbers], redrawn: Callable[[str, Ints], Ints]
) -> dict[str, Numbers]:
    """Return numbers that satisfy all orders, for each column that is in one.

    redrawn: draws units of a column again for some rows, from their bins. Rows that break an order are drawn again.
    After `_TRIES` times (bins with hardly any numbers in order), numbers that are too low move up to the nearest one
    that isn't. Raises `UsageError` if the bounds leave no room.
    """
    last = c.highest(orders, {name: own.grid for name, own in numbers.items()})
    names = c.in_order(orders)
    units = {name: numbers[name].units.copy() for name in names}
    part = t.components(len(names), [tuple(map(names.index, own.columns)) for own in orders])
    for one in sorted(set(part)):
        inside = [name for name, its in zip(names, part, strict=True) if its == one]
        own = [order for order in orders if order.low in inside]
        for _ in range(_TRIES):
            rows = np.flatnonzero(_broken(own, numbers, units))
            if not len(rows):
                break
            for name in inside:
                units[name][rows] = redrawn(name, rows)
        else:
            _move(own, inside, numbers, units, np.flatnonzero(_broken(own, numbers, units)), last)
    return {name: replace(numbers[name], units=its) for name, its in units.items()}


def total(parts: Sequence[Numbers], digits: int) -> Numbers:
    """Return the sums of columns, with at least so many digits."""
    digits = max([digits, *(part.grid[0] for part in parts)])
    units = np.zeros(len(parts[0].units), dtype=np.int64)
    for part in parts:
        units += part.units * int(10 ** (digits - part.grid[0]))
    return Numbers((digits, []), units, np.logical_or.reduce([part.missing for part in parts]))


def _impossible(
    allowed: Mapping[Scope, npt.NDArray[np.bool_]], codes: Sequence[Ints], rows: Ints | slice = slice(None)
) -> Ints:
    """Count for each row the pairs of columns without numbers in order."""
    found = np.zeros(len(codes[0][rows]), dtype=np.int64)
    for (low, high), table in allowed.items():
        found += ~table[codes[low][rows], codes[high][rows]]
    return found


@dataclass(frozen=True)
class _RowsByGroup:
    """The rows of each group: those of `rows` from `first`, `count` of them. `group`: of each row."""

    group: Ints
    rows: Ints
    first: Ints
    count: Ints

    @classmethod
    def of(cls, group: Ints) -> _RowsByGroup:
        count = np.bincount(group)
        return cls(group, np.argsort(group, kind="stable"), np.cumsum(count) - count, count)

    def others(self, rows: Ints, random: np.random.Generator) -> Ints:
        """Draw for each of some rows a row of the same group."""
        group = self.group[rows]
        return self.rows[self.first[group] + (random.random(len(rows)) * self.count[group]).astype(np.int64)]


def _swap(
    allowed: Mapping[Scope, npt.NDArray[np.bool_]], codes: list[Ints], column: int, rows: Ints, others: Ints
) -> Ints:
    """Swap codes of a column between rows, of which each has a pair without numbers in order, and others, if it helps.

    Returns the rows that have such a pair afterwards.
    """
    both = np.concatenate([rows, others])
    _, first = np.unique(both, return_index=True)
    once = np.zeros(len(both), dtype=np.bool_)
    once[first] = True  # no row is in two swaps
    own = once[: len(rows)] & once[len(rows) :]
    mine, theirs = rows[own], others[own]
    before = _impossible(allowed, codes, mine) + _impossible(allowed, codes, theirs)
    codes[column][mine], codes[column][theirs] = codes[column][theirs], codes[column][mine]
    back = _impossible(allowed, codes, mine) + _impossible(allowed, codes, theirs) >= before
    mine, theirs = mine[back], theirs[back]
    codes[column][mine], codes[column][theirs] = codes[column][theirs], codes[column][mine]
    changed = np.unique(both)
    return changed[_impossible(allowed, codes, changed) > 0]


def _broken(
    orders: Sequence[Order], numbers: Mapping[str, Numbers], units: Mapping[str, Ints]
) -> npt.NDArray[np.bool_]:
    """Return which rows break an order."""
    found = np.zeros(len(next(iter(units.values()))), dtype=np.bool_)
    for own in orders:
        low, high = numbers[own.low], numbers[own.high]
        least = c.above(units[own.low], low.grid[0], high.grid[0], own.strict)
        found |= (units[own.high] < least) & ~low.missing & ~high.missing
    return found


def _move(
    orders: Sequence[Order],
    names: Sequence[str],
    numbers: Mapping[str, Numbers],
    units: Mapping[str, Ints],
    rows: Ints,
    last: Mapping[str, int],
) -> None:
    """Move numbers of some rows, lower columns first, to the nearest ones that leave room for higher columns."""
    for name in names:
        found = np.minimum(units[name][rows], last[name])
        for own in (own for own in orders if own.high == name):
            low = numbers[own.low]
            least = c.above(units[own.low][rows], low.grid[0], numbers[name].grid[0], own.strict)
            found = np.where(low.missing[rows], found, np.maximum(found, least))
        units[name][rows] = found
