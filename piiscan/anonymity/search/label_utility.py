"""How much utility is left in a table after generalisation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.classes import grouped
from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.search.lattice import Node
from piiscan.anonymity.search.problem import Problem


class Utility(NamedTuple):
    """Measures of lost utility; smaller is better in all of them.

    loss: for each quasi-identifier the mean loss of its cells, in 0..1 (the normalised certainty penalty; 1 for a
    suppressed cell).
    discernibility: sum over rows of the size of their class, or of the table for suppressed rows (Bayardo and Agrawal,
    ICDE 2005).
    average_class_size: published rows per class. entropy: bits per row that its labels leave unknown about its values,
    mean over all rows; suppressed rows leave all bits of theirs (Gionis and Tassa, TKDE 2009).
    kl_divergence: in bits, from the table to what its labels say of it: each class's rows spread evenly over the
    combinations of leaves below its labels, suppressed rows over all (Kifer and Gehrke, SIGMOD 2006). Where classes
    overlap, a combination counts its own class alone.
    """

    loss: tuple[float, ...]
    discernibility: int
    average_class_size: float | None
    entropy: float | None
    kl_divergence: float | None

    @property
    def mean_loss(self) -> float:
        return float(np.mean(self.loss))


def utility(problem: Problem, levels: Ints, kept: npt.NDArray[np.bool_]) -> Utility:
    """Measure the utility of generalised labels.

    levels: (entries, quasi-identifiers). kept: (entries,) not suppressed.
    """
    rows, total = problem.rows, problem.total
    shown = np.where(kept[:, None], levels, np.array(problem.top))
    at = np.arange(len(rows))
    lost, bits, spread, labels = [], np.zeros(len(rows)), np.zeros(len(rows)), []
    for column, hierarchy in enumerate(problem.hierarchies):
        level = shown[:, column]
        loss = np.where(kept, np.stack(problem.losses[column])[level, at], 1.0)
        lost.append(float((loss * rows).sum() / total))
        label = np.stack(problem.labels[column])[level, at]
        labels.append(label + level * len(hierarchy.leaves))
        often = np.bincount(problem.leaves[column], weights=rows, minlength=len(hierarchy.leaves))
        together = np.stack([np.bincount(g, weights=often)[g] for g in hierarchy.groups])[:, problem.leaves[column]][
            level, at
        ]
        bits += np.log2(together / often[problem.leaves[column]])
        below = np.stack([np.bincount(g)[g] for g in hierarchy.groups])[:, problem.leaves[column]][level, at]
        spread += np.log2(below)
    of, number = grouped(
        [(~kept).astype(np.int64), *labels], [2, *(len(h.leaves) * h.levels for h in problem.hierarchies)]
    )
    sizes = np.bincount(of, weights=rows, minlength=number).astype(np.float64)
    published = len(np.unique(of[kept]))
    return Utility(
        tuple(lost),
        int((rows * np.where(kept, sizes[of], total)).sum()),
        float(rows[kept].sum() / published) if published else None,
        float((bits * rows).sum() / total),
        _divergence(problem, sizes[of], spread),
    )


def _divergence(problem: Problem, sizes: npt.NDArray[np.float64], spread: npt.NDArray[np.float64]) -> float:
    """KL from the distribution of combinations to the one that the labels say.

    sizes, spread: (entries,) rows of its class, bits of its extent.
    """
    combinations, number = grouped(problem.leaves, [len(h.leaves) for h in problem.hierarchies])
    rows = np.bincount(combinations, weights=problem.rows, minlength=number)
    first = np.zeros(number, np.int64)
    first[combinations] = np.arange(len(combinations))
    return float((rows / problem.total * (np.log2(rows / sizes[first]) + spread[first])).sum())


def levels_of(nodes: list[Node], at: Ints, columns: int) -> Ints:
    """(entries, quasi-identifiers) the levels each entry is published at; those of suppressed ones are 0."""
    table = np.array([*nodes, (0,) * columns], np.int64)
    return table[at]
