"""From the histogram of a table to what each of its combinations is published as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.lattice import Node
from piiscan.anonymity.local import Cover, local
from piiscan.anonymity.metrics import METRICS
from piiscan.anonymity.models import View
from piiscan.anonymity.optimal import optimal
from piiscan.anonymity.problem import Problem
from piiscan.anonymity.recoding import Recoding
from piiscan.anonymity.utility import Utility, levels_of, utility
from piiscan.anonymizing.request import Request


@dataclass(frozen=True, eq=False)
class Solution:
    """What a search came to.

    nodes: the levels that are used. at: (entries,) the place of each entry's in `nodes`, -1 where it is suppressed. value: what an optimal search
    made small. levels: (entries, quasi-identifiers) each entry's. view: the published classes, as models see them.
    """

    problem: Problem
    nodes: tuple[Node, ...]
    at: Ints
    levels: Ints
    value: float
    view: View
    utility: Utility

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        kept: npt.NDArray[np.bool_] = self.at >= 0
        return kept

    @property
    def suppressed(self) -> int:
        return int(self.problem.rows[~self.kept].sum())

    @property
    def generalised(self) -> tuple[bool, ...]:
        """For each quasi-identifier, whether any of its published cells is."""
        return tuple(bool(level) for level in self.levels[self.kept].max(axis=0, initial=0))

    def recoding(self, columns: Sequence[int]) -> Recoding:
        return Recoding.of(self.problem, columns, self.levels, self.kept)


def solve(problem: Problem, request: Request) -> Solution:
    """Search for the best publication. Raises `UsageError` where there is none."""
    limit = int(problem.total * request.suppress + 1e-9)
    if request.method == "optimal":
        found = optimal(problem, METRICS[request.metric], limit)
        classes = problem.classes(found.node)
        met = problem.met(problem.view(found.node, classes))
        cover = Cover((found.node,), np.where(met[classes.of], 0, -1))
    else:
        cover = local(problem, limit)
    nodes, at = cover
    levels = levels_of(list(nodes), at, len(problem.shape))
    use = utility(problem, levels, at >= 0)
    value = found.value if request.method == "optimal" else use.mean_loss
    return Solution(problem, nodes, at, levels, value, problem.published(levels, at >= 0), use)
