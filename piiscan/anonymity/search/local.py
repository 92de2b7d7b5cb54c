"""Local recoding: each class is generalised only as far as it needs, with its own levels."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from math import prod
from typing import Final, NamedTuple

import numpy as np

from piiscan.anonymity.classes import Classes, grouped
from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.models.model import KAnonymity, Met
from piiscan.anonymity.search.lattice import MOST_NODES, Node, climb, nodes
from piiscan.anonymity.search.metrics import Floats, Loss
from piiscan.anonymity.search.problem import Problem
from piiscan.core.errors import UsageError

SLACK: Final = 0.005
"""Classes whose mean cell loss differs by less than this are published in one go: smaller gains little and takes
longer."""
_CROWDED: Final = 0.85
"""Entries are closed up when fewer of them than this share are still to be published."""
_TRIED: Final = 50
"""Classes to which what is left may be joined, before giving up."""
_MIX: Final = np.int64(-7046029254386353131)


class Cover(NamedTuple):
    """For each entry the place in `nodes` of the levels it is published `at`, -1 where it is suppressed.

    `found`: (entries,) the place of the node at which its class was found, in the order of `nodes`: of the entries not
    found before, those with the class's labels there belong to it. It is that of `at`, but for a class that was joined
    by what was left.
    """

    nodes: tuple[Node, ...]
    at: Ints
    found: Ints


def local(problem: Problem, limit: int) -> Cover:
    """Publish each entry at the node with the least loss at which its class meets every model.

    A greedy cover of the lattice: of all classes that the entries still left make at any node, the one of least loss
    per row is published next, until none is left that meets the models. Nodes wait in a heap by a lower bound of what
    their best class loses, and are counted only when their turn comes; since entries only leave, a bound once computed
    stays one. Entries that are left in the end join the class where this costs least, or are suppressed.

    Raises `UsageError` if more than `limit` rows would be suppressed, or the lattice has more than 16 million nodes.
    """
    if (number := nodes(problem.shape)) > MOST_NODES:
        raise UsageError(
            f"{number:,} combinations of levels are too many; declare fewer quasi-identifiers, or use hierarchies "
            "with fewer levels"
        )
    covering = _Covering(problem)
    covering.run()
    left = covering.join_left(limit)
    if left > limit:
        asked = ", ".join(m.name for m in problem.models)
        raise UsageError(
            f"{left} of {problem.total} rows are in no class that meets {asked}, and only {limit} may be "
            "suppressed; ask for less, or raise --suppress"
        )
    return Cover(tuple(covering.nodes), covering.at, covering.found)


class _Covering:
    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._k = max((m.k for m in problem.models if isinstance(m, KAnonymity)), default=1)
        self._only_k = problem.unit is None and all(isinstance(m, KAnonymity) for m in problem.models)
        self._slack = SLACK * len(problem.shape)
        self._buckets = 1 << max(10, (2 * len(problem.rows)).bit_length())
        self._entries = np.arange(len(problem.rows))
        self._left = problem.rows.astype(np.float64)
        self._numbers = _numbers(problem)
        self._steps = Loss().steps(problem)
        self._dead = np.zeros(problem.shape, bool)
        self.nodes: list[Node] = []
        self.at = np.full(len(problem.rows), -1, np.int64)
        self.found = self.at

    def run(self) -> None:
        waiting = list(self._first_bounds())
        heapify(waiting)
        while waiting and self._left.any():
            bound, node = heappop(waiting)
            if self._dead[node]:
                continue
            some, key = self._in_classes(node)
            if not len(some):
                self._bury(node)
                continue
            bar = max(waiting[0][0] if waiting else bound, bound) + self._slack
            later = self._publish(node, some, key, bar)
            if later is not None:
                heappush(waiting, (later, node))
            if np.count_nonzero(self._left) < _CROWDED * len(self._left):
                self._close_up()

    def _first_bounds(self) -> Iterator[tuple[float, Node]]:
        """For each node the least loss any of its labels can have."""
        bounds = np.zeros(())
        for losses in self._problem.losses:
            bounds = bounds[..., None] + np.array([loss.min(initial=1.0) for loss in losses])
        for place in np.ndindex(*self._problem.shape):
            yield float(bounds[place]), place

    def _in_classes(self, node: Node) -> tuple[Ints, Ints]:
        """Entries that may stand in classes of k rows at a node (no others do), and the keys of all."""
        key = self._key(node)
        bucket = ((key * _MIX) >> np.int64(20)) & (self._buckets - 1)
        some = np.flatnonzero(np.bincount(bucket, weights=self._left)[bucket] >= self._k)
        return some[self._left[some] > 0], key

    def _bury(self, node: Node) -> None:
        """Skip a node without a class of k rows.

        No node below it, or below nodes like it on a path to the top, can have one either.
        """
        path = climb(node, self._problem.top, self._steps)
        dead, alive = 0, len(path)
        while alive - dead > 1:
            middle = (dead + alive) // 2
            if self._dead[path[middle]] or not len(self._in_classes(path[middle])[0]):
                dead = middle
            else:
                alive = middle
        self._dead[tuple(slice(0, level + 1) for level in path[dead])] = True

    def _publish(self, node: Node, some: Ints, key: Ints, bar: float) -> float | None:
        """Publish the classes at a node that meet the models and lose at most `bar` a row.

        Returns the least loss of those that lose more.
        """
        order = some[np.argsort(key[some], kind="stable")]
        starts = _starts(key[order])
        met = np.add.reduceat(self._left[order], starts) >= self._k
        if not self._only_k:
            met &= self._meets(node, self._entries[order], starts)
        if not met.any():
            return None
        loss = self._problem.entry_loss(node, self._entries[order[starts]])
        now = met & (loss <= bar)
        later = met & ~now
        if now.any():
            gone = order[np.repeat(now, np.diff(np.append(starts, len(order))))]
            self.at[self._entries[gone]] = len(self.nodes)
            self.nodes.append(node)
            self._left[gone] = 0
        return float(loss[later].min()) if later.any() else None

    def _key(self, node: Node) -> Ints:
        """(entries still here,) equal for equal labels, and for no others."""
        if self._numbers is None:
            labels = [labels[level][self._entries] for labels, level in zip(self._problem.labels, node, strict=True)]
            return grouped(
                labels, [len(h.labels[level]) for h, level in zip(self._problem.hierarchies, node, strict=True)]
            )[0]
        key = np.zeros(len(self._entries), np.int64)
        for numbers, level in zip(self._numbers, node, strict=True):
            if level < len(numbers) - 1:
                key += numbers[level]
        return key

    def _meets(self, node: Node, entries: Ints, starts: Ints) -> Met:
        """Which of the classes that begin at `starts` meet every model."""
        of = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(entries))))
        classes = Classes(of, self._problem.sizes(of, len(starts), entries))
        return self._problem.met(self._problem.view(node, classes, entries))

    def _close_up(self) -> None:
        """Leave behind what is published."""
        here = self._left > 0
        self._entries, self._left = self._entries[here], self._left[here]
        if self._numbers is not None:
            self._numbers = [[numbers[here] for numbers in levels] for levels in self._numbers]

    def join_left(self, limit: int) -> int:
        """Join what is left to the published class whose loss grows least by it, or to several.

        Nothing is joined if at most `limit` rows are left and suppressing them loses less. Returns how many rows stay
        left.
        """
        problem, left = self._problem, np.flatnonzero(self.at < 0)
        rows = int(problem.rows[left].sum())
        if not rows or not self.nodes:
            return rows
        members, classes = self._published()
        firsts = members[_starts(classes)]
        sizes = np.add.reduceat(problem.rows[members], _starts(classes))
        joined = self._joined(firsts, left)
        grown, before = self._losses(joined, firsts), self._losses(np.array(self.nodes)[self.at[firsts]], firsts)
        growth = sizes * (grown - before) + rows * grown
        order = np.argsort(growth, kind="stable")
        if rows <= limit and growth[order[0]] >= rows * len(problem.shape):
            return rows
        # First each of the nearest by itself; then, where there is no other way, ever more of them together.
        several = [] if rows <= limit else [order[: 1 << power] for power in range(1, len(order).bit_length() + 1)]
        for places in [*(order[[i]] for i in range(min(_TRIED, len(order)))), *several]:
            node = tuple(int(level) for level in joined[places].max(axis=0))
            together = np.concatenate([members[np.isin(classes, places)], left])
            if self._meets(node, together, np.zeros(1, np.int64)).all():
                self.found = self.at.copy()
                self.found[left] = len(self.nodes)
                self.at[together] = len(self.nodes)
                self.nodes.append(node)
                return 0
        return rows

    def _losses(self, levels: Ints, entries: Ints) -> Floats:
        """(entries,) the loss of a row at levels of its own. levels: (entries, quasi-identifiers)."""
        lost = np.zeros(len(entries))
        for losses, level in zip(self._problem.losses, levels.T, strict=True):
            lost += np.stack(losses)[level, entries]
        return lost

    def _published(self) -> tuple[Ints, Ints]:
        """Published entries, class by class, and the classes' numbers."""
        entries = np.flatnonzero(self.at >= 0)
        levels = np.array(self.nodes)[self.at[entries]]
        labels = [np.stack(each)[level, entries] for each, level in zip(self._problem.labels, levels.T, strict=True)]
        of, _ = grouped(
            [self.at[entries], *labels], [len(self.nodes), *(len(h.leaves) for h in self._problem.hierarchies)]
        )
        order = np.argsort(of, kind="stable")
        return entries[order], of[order]

    def _joined(self, firsts: Ints, left: Ints) -> Ints:
        """(classes, quasi-identifiers) the lowest levels at which each class shares its labels with all that is left.

        A class is given by one of its entries.
        """
        joined = np.array(self.nodes)[self.at[firsts]]
        for i, labels in enumerate(self._problem.labels):
            for level in range(len(labels) - 1):
                label = labels[level][left]
                apart = (labels[level][firsts] != label[0]) | bool((label != label[0]).any())
                joined[:, i] = np.where((joined[:, i] == level) & apart, level + 1, joined[:, i])
        return joined


def _starts(ordered: Ints) -> Ints:
    """Where runs of equal numbers begin."""
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


def _numbers(problem: Problem) -> list[list[Ints]] | None:
    """For each quasi-identifier and level, (entries,) numbers whose sums distinguish labels.

    None if 62 bits are too few.
    """
    if prod(len(hierarchy.leaves) for hierarchy in problem.hierarchies) >= 1 << 62:
        return None
    scaled, span = [], 1
    for hierarchy, labels in zip(problem.hierarchies, problem.labels, strict=True):
        scaled.append([each * span for each in labels])
        span *= len(hierarchy.leaves)
    return scaled
