"""Clusters around centres."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from piiscan.dp.learning import solve, sums
from piiscan.dp.learning.draws import Draws, Query
from piiscan.dp.learning.features import ONE
from piiscan.dp.learning.sums import Rows
from piiscan.dp.release import Json
from piiscan.errors import UsageError
from piiscan.learning.model import Model

if TYPE_CHECKING:
    from piiscan.dp.learning.features import Floats, Ints


class KMeans(Model):
    """`n_clusters` centres, by Lloyd's algorithm: each of `passes` moves every centre to the noisy mean of the rows that are nearest to it.

    The number of passes is fixed, and so is the start, which looks at bounds and `random_state` alone. After `fit`: `cluster_centers_` in
    the columns' own units, and `cluster_counts_`.
    """

    cluster_centers_: Floats
    cluster_counts_: Floats
    parameters: ClassVar = ("n_clusters", "passes", "random_state")

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        clip: float | None = None,
        passes: int = 5,
        random_state: int = 0,
    ) -> None:
        super().__init__(bounds=bounds, categories=categories, clip=clip)
        if not (1 <= n_clusters <= 1000 and 1 <= passes <= 1000):
            raise UsageError("n_clusters and passes are numbers from 1 to 1000")
        self.n_clusters = n_clusters
        self.passes = passes
        self.random_state = random_state

    def predict(self, data: Any) -> Ints:
        """For each row the place of the nearest centre. What it says of people's rows is not private."""
        rows = np.rint(self._scaled(data) * ONE)
        return sums.nearest_centre(rows, _whole((self.cluster_centers_ - self._features.middle) / self._features.half))

    def _queries(self) -> tuple[Query, ...]:
        reach = sums.clusters_reach(self._features.reach)
        return tuple(Query(f"rows and sums of each cluster, pass {i + 1}", reach, ONE) for i in range(self.passes))

    def _exact(self, batches: Iterator[Rows]) -> list[Rows]:
        return list(batches)

    def _learn(self, exact: Any, draws: Draws) -> Json:
        centres = solve.start(self._features.lowest, self.n_clusters, self.random_state)
        for _ in range(self.passes):
            noisy = draws.noisy(sums.clusters(exact, _whole(centres)))
            found = noisy.values.reshape(self.n_clusters, -1)
            counts = found[:, 0]
            moved = np.clip(found[:, 1:] / np.maximum(counts, noisy.sd)[:, None], self._features.lowest, 1.0)
            centres = np.where((counts > noisy.within(1))[:, None], moved, centres)
        return {
            "cluster_centers": self._features.middle + self._features.half * centres,
            "cluster_counts": counts,
            "cluster_counts_accuracy": noisy.within(1),
        }


def _whole(centres: Floats) -> Ints:
    made: Ints = np.rint(centres * ONE).astype(np.int64)
    return made
