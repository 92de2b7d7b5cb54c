"""Clusters around centres."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import numpy as np

from piiscan.core.argument_kinds import of_kinds
from piiscan.core.errors import UsageError
from piiscan.dp.learning import centres, model_sums
from piiscan.dp.learning.draws import Draws, Query
from piiscan.dp.learning.model_sums import Rows
from piiscan.dp.learning.row_vectors import ONE
from piiscan.dp.result import Json
from piiscan.dp.run.estimators.estimator import Estimator

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats, Ints


LANDMARKS: Final = 10
"""This many starting points are used first for each cluster."""


class Moved(NamedTuple):
    """Centres after a pass, the noisy counts of their rows, and how far these may be off."""

    centres: Floats
    counts: Floats
    accuracy: float


class KMeans(Estimator):
    """`n_clusters` centres, by Lloyd's algorithm with noise.

    Each pass moves every centre to the noisy mean of the rows that are nearest to it. The first half of the `passes`
    moves ten times as many landmarks, which begin evenly between the bounds; a row is near one of them, so they cost
    no more.
    They are then gathered into clusters, and the other half of the passes moves these. The number of passes is fixed,
    and so is the start: it follows from bounds and `random_state` alone. After `fit`: `cluster_centers_` in the
    columns' own units, and `cluster_counts_`, as the last pass found them.
    """

    stored_name: ClassVar = "KMeans"

    cluster_centers_: Floats
    cluster_counts_: Floats
    parameters: ClassVar = ("n_clusters", "passes", "random_state")

    @of_kinds
    def __init__(
        self,
        n_clusters: int = 8,
        *,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        clip: float | None = None,
        passes: int = 4,
        random_state: int = 0,
    ) -> None:
        super().__init__(bounds=bounds, categories=categories, clip=clip)
        if not (1 <= n_clusters <= 100 and 2 <= passes <= 1000):
            raise UsageError("n_clusters must be a number from 1 to 100, and passes one from 2 to 1000")
        self.n_clusters = n_clusters
        self.passes = passes
        self.random_state = random_state

    def predict(self, data: Any) -> Ints:
        """Return the index of the nearest centre for each row. Results for people's rows aren't private."""
        rows = self._scaled(data)
        return model_sums.nearest_centre(rows, (self.cluster_centers_ - self._features.middle) / self._features.half)

    def _queries(self) -> tuple[Query, ...]:
        sensitivity = model_sums.clusters_sensitivity(self._features.sensitivity)
        return tuple(
            Query(f"rows and sums of each cluster, pass {i + 1}", sensitivity, ONE) for i in range(self.passes)
        )

    def _exact(self, batches: Iterator[Rows]) -> list[Rows]:
        return list(batches)

    def _learn(self, exact: Any, draws: Draws) -> Json:
        first = self.passes // 2
        landmarks = centres.start(self._features.lowest, LANDMARKS * self.n_clusters, self.random_state)
        for _ in range(first):
            moved = self._move(landmarks, exact, draws)
            landmarks = moved.centres
        dense = np.flatnonzero(moved.counts > moved.accuracy)
        if len(dense) < self.n_clusters:
            dense = np.argsort(-moved.counts, kind="stable")[: self.n_clusters]
        weights = np.maximum(moved.counts[dense], 1.0)
        found = centres.gathered(landmarks[dense], weights, self.n_clusters, self.random_state)
        for _ in range(self.passes - first):
            moved = self._move(found, exact, draws)
            found = moved.centres
        return {
            "cluster_centers": self._features.middle + self._features.half * found,
            "cluster_counts": moved.counts,
            "cluster_counts_accuracy": moved.accuracy,
        }

    def _move(self, places: Floats, exact: list[Rows], draws: Draws) -> Moved:
        """Move each centre to the noisy mean of its rows, unless their number is within the noise."""
        noisy = draws.noisy(lambda: model_sums.clusters(exact, _whole(places)))
        found, least = noisy.values.reshape(len(places), -1), noisy.within(1)
        counts = found[:, 0]
        means = np.clip(found[:, 1:] / np.maximum(counts, least)[:, None], self._features.lowest, 1.0)
        return Moved(np.where((counts > least)[:, None], means, places), counts, least)


def _whole(places: Floats) -> Ints:
    made: Ints = np.rint(places * ONE).astype(np.int64)
    return made
