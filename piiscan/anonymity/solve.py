"""From the histogram of a table to the published label of each of its combinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from piiscan.anonymity.models.model import View
from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.search.label_utility import Utility, levels_of, utility
from piiscan.anonymity.search.local import Cover, local
from piiscan.anonymity.search.metrics import METRICS
from piiscan.anonymity.search.optimal import optimal
from piiscan.anonymity.search.problem import Problem
from piiscan.anonymity.search.recoding import Recoding, labelled


@dataclass(frozen=True, eq=False)
class Solution:
    """The result of a search.

    labels: for each quasi-identifier (entries,) the published label of each entry. changed: for each, whether a label
    differs from its value. kept: (entries,) not suppressed. cover: where each is published on the lattice; None for
    micro-aggregation. value: the metric that an optimal search minimised, or the mean loss. view: the published
    classes, as models see them.
    """

    problem: Problem
    labels: tuple[pl.Series, ...]
    changed: tuple[bool, ...]
    kept: npt.NDArray[np.bool_]
    cover: Cover | None
    value: float
    view: View
    utility: Utility

    @property
    def suppressed(self) -> int:
        return int(self.problem.rows[~self.kept].sum())

    def recoding(self, columns: Sequence[int]) -> Recoding:
        return Recoding.of(self.problem, columns, self.labels, self.kept)


def solve(problem: Problem, request: AnonymizeRequest) -> Solution:
    """Search for the best published version. Raises `UsageError` if there is none."""
    limit = int(problem.total * request.suppress + 1e-9)
    if request.method == "local":
        return solution(problem, local(problem, limit), request)
    node = optimal(problem, METRICS[request.metric], limit).node
    classes = problem.classes(node)
    at = np.where(problem.met(problem.view(node, classes))[classes.of], 0, -1)
    return solution(problem, Cover((node,), at, at), request)


def solution(problem: Problem, cover: Cover, request: AnonymizeRequest) -> Solution:
    """Return the solution for a cover."""
    kept = cover.at >= 0
    levels = levels_of(list(cover.nodes), cover.at, len(problem.shape))
    use = utility(problem, levels, kept)
    value = use.mean_loss
    if request.method == "optimal":
        node = cover.nodes[0] if cover.nodes else problem.top
        classes = problem.classes(node)
        met = np.zeros(len(classes.sizes), bool)
        met[classes.of[kept]] = True
        value = METRICS[request.metric].value(problem, node, classes, met)
    changed = tuple(bool(level) for level in levels[kept].max(axis=0, initial=0))
    return Solution(
        problem, tuple(labelled(problem, levels)), changed, kept, cover, value, problem.published(levels, kept), use
    )
