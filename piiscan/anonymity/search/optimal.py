"""Full-domain generalisation: the one node of the lattice with the least loss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from piiscan.anonymity.models.model import KAnonymity
from piiscan.anonymity.search.lattice import MOST_NODES, Node, climb, nodes
from piiscan.anonymity.search.metrics import Metric
from piiscan.anonymity.search.problem import Problem
from piiscan.anonymity.search.snapshots import Snapshots
from piiscan.core.errors import UsageError


class Optimum(NamedTuple):
    """The best node, its value by the metric, and how many nodes were examined."""

    node: Node
    value: float
    checks: int


def optimal(problem: Problem, metric: Metric, limit: int) -> Optimum:
    """The node of least `metric` at which no more than `limit` rows stand in classes that fail a model.

    Best-first search by lower bounds with predictive tagging, in the manner of Flash (Kohlmayer et al., 2012): from
    each candidate it looks up a path to the top for the last node that fails, and tags all nodes below that one. Only
    proven properties are used for tagging: k-anonymity and other absorbing models fail below a node that fails, and
    so do monotone ones without suppression. Other models are evaluated node by node as far as the bounds require, so
    the result is the optimum for every model.

    Raises `UsageError` if no node qualifies, or the lattice has more than 16 million nodes.
    """
    if (number := nodes(problem.shape)) > MOST_NODES:
        raise UsageError(
            f"{number:,} combinations of levels are too many for an optimal search; use --method local, fewer "
            "quasi-identifiers or hierarchies with fewer levels"
        )
    search = _Search(problem, metric, limit)
    found = search.run()
    if found is None:
        raise UsageError(_nothing(problem, limit))
    return Optimum(*found, len(search.looked))


class _Search:
    def __init__(self, problem: Problem, metric: Metric, limit: int) -> None:
        self._problem, self._metric, self._limit = problem, metric, limit
        self._snapshots = Snapshots(problem)
        self._k = max((m.k for m in problem.models if isinstance(m, KAnonymity)), default=1)
        self._only_k = problem.unit is None and all(isinstance(m, KAnonymity) for m in problem.models)
        self._tags = all(
            (m.absorbing if limit else m.monotone) and (m.for_units or problem.unit is None) for m in problem.models
        )
        self._bounds = metric.bounds(problem).copy()
        self._steps = metric.steps(problem)
        self._best: tuple[Node, float] | None = None
        self.looked: dict[Node, bool] = {}

    def run(self) -> tuple[Node, float] | None:
        flat = self._bounds.reshape(-1)
        while np.isfinite(bound := flat[flat_index := int(flat.argmin())]):
            if self._best is not None and bound >= self._best[1]:
                break
            node: Node = tuple(int(i) for i in np.unravel_index(flat_index, self._bounds.shape))
            if not self._is_possible(node):
                self._tag(self._last_that_fails(node))
            elif self._is_met(node) or not self._tags:
                self._bounds[node] = np.inf
            else:
                self._tag(node)
        return self._best

    def _last_that_fails(self, node: Node) -> Node:
        """On a path from a node that fails up to the top: each step raises the column that loses least by it."""
        path = climb(node, self._problem.top, self._steps)
        fails, passes = 0, len(path)
        while passes - fails > 1:
            middle = (fails + passes) // 2
            if self._is_possible(path[middle]):
                passes = middle
            else:
                fails = middle
        if passes < len(path) and (self._best is None or self._bounds[path[passes]] < self._best[1]):
            self._is_met(path[passes])
        return path[fails]

    def _is_possible(self, node: Node) -> bool:
        """Return whether k-anonymity, counted in rows, suppresses no more than the limit: a necessary condition."""
        known = self.looked.get(node)
        if known is None:
            sizes = self._snapshots.sizes(node)
            known = self.looked[node] = int(sizes[sizes < self._k].sum()) <= self._limit
            above = self._bounds[tuple(slice(level, None) for level in node)]
            np.maximum(above, self._metric.bound_above(self._problem, sizes, self._limit), out=above)
        return known

    def _is_met(self, node: Node) -> bool:
        """Return whether the node meets every model; if so, compare its value with the best one."""
        problem = self._problem
        if self._only_k and self._best is not None and self._bounds[node] >= self._best[1]:
            return True
        classes = problem.classes(node)
        met = classes.sizes >= self._k if self._only_k else problem.met(problem.view(node, classes))
        if int(problem.rows[~met[classes.of]].sum()) > self._limit:
            return False
        value = self._metric.value(problem, node, classes, met)
        if self._best is None or (value, node) < (self._best[1], self._best[0]):
            self._best = node, value
        return True

    def _tag(self, node: Node) -> None:
        """Exclude a node that fails, and all nodes below it."""
        self._bounds[tuple(slice(0, level + 1) for level in node)] = np.inf


def _nothing(problem: Problem, limit: int) -> str:
    asked_models = ", ".join(m.name for m in problem.models)
    return (
        f"no generalisation meets {asked_models} with {limit} of {problem.total} rows suppressed, not even the "
        "most general one; ask for less, or allow more suppression"
    )
