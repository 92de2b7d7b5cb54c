"""t-closeness: sensitive values are distributed in each class much as in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from piiscan.anonymity.hierarchies.hierarchy import TOP, Hierarchy
from piiscan.anonymity.histogram import Coded, Ints
from piiscan.anonymity.models.model import SLACK, Met, OneColumnModel, View
from piiscan.anonymity.models.shares import Floats, Shares, reduced, shares

Distance = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True, slots=True, eq=False)
class TCloseness(OneColumnModel):
    """t-closeness: the distance of each class's sensitive values from the whole table's is at most t.

    It is the earth mover's distance (Li et al., ICDE 2007).

    The whole table is the input, suppressed rows included (see `View.reference`). Distances are between 0 and
    1.

    Without `order` and `groups` all different values are equally far apart (section 4.2, *equal*). order: (values,)
    the rank of each value among all, from 0: then values are as far apart as their ranks (section 4.1, *ordered*); see
    `value_ranks`. groups: for each level of a hierarchy, from level 0 on, (values,) the group of each value: then
    values are as far apart as the level at which they meet (section 4.2, *hierarchical*); see `groups_of`.

    Monotone, since the distance is convex: a mixture is no farther away than the farther of its parts. A mixture with
    a class that is too far away may also be too far away, so the model is not absorbing.

    Guarantee:
        Assumes: the distribution of values over the whole table is not secret.
        Ensures: an attacker who finds a person's class learns little more than that distribution.
        Does not protect against: rare values, whose share may grow manifold within a small t (see β-likeness).
    """

    column: int
    t: float
    order: Ints | None = None
    groups: tuple[Ints, ...] | None = None
    name: ClassVar[str] = "t-closeness"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    for_units: ClassVar[bool] = False

    @property
    def distance(self) -> Distance:
        if self.groups is not None:
            return "hierarchical"
        return "equal" if self.order is None else "ordered"

    def meets(self, view: View) -> Met:
        met: Met = self.levels(view) <= self.t * (1 + SLACK) + SLACK
        return met

    def value(self, view: View) -> float:
        return float(self.levels(view).max(initial=0.0))

    def levels(self, view: View) -> Floats:
        """(classes,) the distance of each class."""
        s = shares(view, self.column)
        if self.groups is not None:
            return _hierarchical(s, self.groups)
        return _equal(s) if self.order is None else _ordered(s, self.order)


def value_ranks(values: Coded) -> Ints:
    """(values,) the rank of each value of a column for the ordered distance.

    Numbers and intervals come first, in their order, then texts, then the empty cell.
    """
    order = sorted(range(len(values.values)), key=lambda i: _key(values.values[i]))
    where = np.empty(len(order), np.int64)
    where[order] = np.arange(len(order))
    return where


def groups_of(values: Coded, hierarchy: Hierarchy) -> tuple[Ints, ...]:
    """Return for each level of a hierarchy (values,) the group of each value of a column.

    Cells without information, empty or `*`, may be missing from the hierarchy: they meet others only at the root.
    Raises `UsageError` if other values are missing.
    """
    silent = [v for v in values.values if v in (None, "", TOP) and v not in hierarchy.leaves]
    spoken = [v for v in values.values if v not in silent]
    leaves = dict(zip(spoken, hierarchy.codes(spoken).tolist(), strict=True))
    made = []
    for level, (names, groups) in enumerate(zip(hierarchy.labels, hierarchy.groups, strict=True)):
        apart = {v: len(names) + i if level < hierarchy.levels - 1 else 0 for i, v in enumerate(silent)}
        made.append(np.array([apart[v] if v in apart else groups[leaves[v]] for v in values.values], np.int64))
    return tuple(made)


def numeric(values: Coded) -> bool:
    """Whether a column's values, the empty cell apart, are numbers or intervals."""
    return all(v is None or _key(v)[0] == 0 for v in values.values) and values.values != (None,)


def _begin(value: str) -> str:
    """Where an interval begins, as the operator `bins` and hierarchies write them: `[20, 30)`."""
    return value[1:].partition(",")[0] if value[0] == "[" and value[-1] == ")" else value


def _key(value: str | None) -> tuple[int, float, str]:
    try:
        number = float(_begin(value) if value else "")
    except ValueError:
        return (2 if value is None else 1, 0.0, value or "")
    return (1, 0.0, value or "") if number != number else (0, number, value or "")


def _equal(s: Shares) -> Floats:
    """Half the sum of all absolute differences.

    Differences sum to zero, so those of values that a class lacks need not be added up.
    """
    return reduced(np.add, np.maximum(s.inside - s.overall, 0.0), s.starts)


def _ordered(s: Shares, order: Ints) -> Floats:
    """Σᵢ |Σ_{j≤i} (qⱼ - pⱼ)| / (m - 1).

    The inner sum over q is a step function with a step for each entry. Within a step the one over p only grows, so
    that there is one place where the difference changes its sign: prefix sums give all of a step at once.
    """
    m = len(s.whole)
    if m < 2:
        return np.zeros(len(s.starts))
    sorted_p = np.empty(m)
    sorted_p[order] = s.whole
    p = np.cumsum(sorted_p)[:-1]  # the last place adds nothing
    prefix = np.concatenate(([0.0], np.cumsum(p)))
    rank = order[s.tally.codes]
    by_rank = np.lexsort((rank, s.tally.classes))
    left, counts = rank[by_rank], s.tally.counts[by_rank]
    counted = np.cumsum(counts)
    counted -= (counted[s.starts] - counts[s.starts])[s.tally.classes]
    ends = np.append(s.starts, len(counts))[1:] - 1
    q = counted / counted[ends][s.tally.classes]
    right = np.append(left, m - 1)[1:]
    right[ends] = m - 1
    turn = np.clip(np.searchsorted(p, q), left, right)
    steps = q * (2 * turn - left - right) + prefix[right] + prefix[left] - 2 * prefix[turn]
    put: Floats = (reduced(np.add, steps, s.starts) + prefix[left[s.starts]]) / (m - 1)
    return np.maximum(put, 0.0)


def _hierarchical(s: Shares, groups: tuple[Ints, ...]) -> Floats:
    """Σ over the inner nodes of height/H · min(surplus of its children, deficit of its children).

    H is the root's height.

    The deficit of a node's children is their surplus less the node's own surplus, so nodes without any entry of a
    class contribute nothing.
    """
    height = len(groups) - 1
    distance = np.zeros(len(s.starts))
    for level in range(1, height + 1):
        child, parent = groups[level - 1], groups[level]
        children = _differences(s, child)
        up = np.zeros(int(child.max(initial=0)) + 1, np.int64)
        up[child] = parent
        width = int(parent.max(initial=0)) + 1
        nodes, of = np.unique(children.classes * width + up[children.nodes], return_inverse=True)
        too_much = np.bincount(of, np.maximum(children.extra, 0.0), len(nodes))
        extra = _differences(s, parent).extra  # sorted as `nodes`: the same pairs of class and node
        moved = np.maximum(np.minimum(too_much, too_much - extra), 0.0)
        distance += np.bincount(nodes // width, moved, len(distance)) * (level / height)
    return distance


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """Pairs of a class and a node of one level that contains an entry of it, sorted.

    `extra`: the node's share in the class less its share in the table.
    """

    classes: Ints
    nodes: Ints
    extra: Floats


def _differences(s: Shares, group: Ints) -> _Nodes:
    width = int(group.max(initial=0)) + 1
    whole = np.bincount(group, s.whole, width)
    pairs, of = np.unique(s.tally.classes * width + group[s.tally.codes], return_inverse=True)
    return _Nodes(pairs // width, pairs % width, np.bincount(of, s.inside, len(pairs)) - whole[pairs % width])
