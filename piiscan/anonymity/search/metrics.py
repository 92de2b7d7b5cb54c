"""Metrics of the loss by generalisation, which a search minimises."""

from __future__ import annotations

from functools import reduce
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.classes import Classes
from piiscan.anonymity.models.model import Met
from piiscan.anonymity.search.lattice import Node
from piiscan.anonymity.search.problem import Problem

Floats = npt.NDArray[np.float64]


class Metric(Protocol):
    """A measure of loss; smaller is better."""

    def steps(self, problem: Problem) -> list[Floats]:
        """Return for each quasi-identifier (levels,) the cost of each of its levels alone, rising."""

    def bounds(self, problem: Problem) -> Floats:
        """Return (the lattice's shape) a lower bound of the metric at each node."""

    def bound_above(self, problem: Problem, sizes: npt.NDArray[np.int64], limit: int) -> float:
        """Return a lower bound for all nodes at or above one whose classes have these sizes.

        `limit`: rows that may be suppressed.
        """

    def value(self, problem: Problem, node: Node, classes: Classes, met: Met) -> float:
        """Return the loss at a node if the classes that aren't `met` are suppressed."""


class Loss:
    """The mean loss of a cell: (leaves under its label - 1) / (all leaves - 1), and 1 for a suppressed cell.

    Sources: Iyengar, KDD 2002; Xu et al., KDD 2006.
    """

    def steps(self, problem: Problem) -> list[Floats]:
        cells = problem.total * len(problem.shape)
        return [np.array([(loss * problem.rows).sum() for loss in losses]) / cells for losses in problem.losses]

    def bounds(self, problem: Problem) -> Floats:
        return _added(self.steps(problem))

    def bound_above(self, problem: Problem, sizes: npt.NDArray[np.int64], limit: int) -> float:
        return 0.0

    def value(self, problem: Problem, node: Node, classes: Classes, met: Met) -> float:
        kept = met[classes.of]
        lost = (problem.entry_loss(node)[kept] * problem.rows[kept]).sum() + int(problem.rows[~kept].sum()) * len(
            problem.shape
        )
        return float(lost / (problem.total * len(problem.shape)))


class Entropy:
    """Non-uniform entropy in its monotone form, as ARX computes it; suppression isn't charged.

    Source: Gionis and Tassa, TKDE 2009.

    Each cell counts the bits that its label leaves unknown: log2 of how much rarer its value is than its label in the
    whole table.
    """

    def steps(self, problem: Problem) -> list[Floats]:
        return [_unknown_bits(problem, i) for i in range(len(problem.shape))]

    def bounds(self, problem: Problem) -> Floats:
        return _added(self.steps(problem))

    def bound_above(self, problem: Problem, sizes: npt.NDArray[np.int64], limit: int) -> float:
        return 0.0

    def value(self, problem: Problem, node: Node, classes: Classes, met: Met) -> float:
        return float(sum(step[level] for step, level in zip(self.steps(problem), node, strict=True)))


class Discernibility:
    """For each row the number of rows it can't be distinguished from.

    It is the size of its class, or for a suppressed row of the whole table (Bayardo and Agrawal, ICDE 2005).
    """

    def steps(self, problem: Problem) -> list[Floats]:
        return Entropy().steps(problem)

    def bounds(self, problem: Problem) -> Floats:
        return problem.total**2 / _most_classes(problem)

    def bound_above(self, problem: Problem, sizes: npt.NDArray[np.int64], limit: int) -> float:
        return float((sizes.astype(np.float64) ** 2).sum())

    def value(self, problem: Problem, node: Node, classes: Classes, met: Met) -> float:
        rows = np.bincount(classes.of, weights=problem.rows, minlength=len(met))
        return float((rows[met] ** 2).sum() + rows[~met].sum() * problem.total)


class ClassSize:
    """The average number of rows in a published class (LeFevre et al., ICDE 2006; not divided by k)."""

    def steps(self, problem: Problem) -> list[Floats]:
        return Entropy().steps(problem)

    def bounds(self, problem: Problem) -> Floats:
        return np.zeros(problem.shape)

    def bound_above(self, problem: Problem, sizes: npt.NDArray[np.int64], limit: int) -> float:
        return max(0, problem.total - limit) / max(1, len(sizes))

    def value(self, problem: Problem, node: Node, classes: Classes, met: Met) -> float:
        published = int(met.sum())
        return float(problem.rows[met[classes.of]].sum() / published) if published else float(problem.total)


METRICS: Final[dict[str, Metric]] = {
    "loss": Loss(),
    "entropy": Entropy(),
    "discernibility": Discernibility(),
    "class-size": ClassSize(),
}


def _unknown_bits(problem: Problem, column: int) -> Floats:
    hierarchy = problem.hierarchies[column]
    often = np.bincount(problem.leaves[column], weights=problem.rows, minlength=len(hierarchy.leaves))
    there = often > 0
    bits = []
    for groups in hierarchy.groups:
        together = np.bincount(groups, weights=often)[groups]
        bits.append((often[there] * np.log2(together[there] / often[there])).sum())
    return np.array(bits)


def _added(steps: list[Floats]) -> Floats:
    return reduce(lambda a, b: a[..., None] + b, steps, np.zeros(()))


def _most_classes(problem: Problem) -> Floats:
    """(the lattice's shape) no node can have more classes than this."""
    each = [np.array([len(names) for names in h.labels], dtype=np.float64) for h in problem.hierarchies]
    most = reduce(lambda a, b: a[..., None] * b, each, np.ones(()))
    return np.minimum(most, len(problem.rows))
