"""Means and standard deviations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from piiscan.dp.domains import Number
from piiscan.dp.learning import model_sums
from piiscan.dp.learning.draws import Draws, Query
from piiscan.dp.learning.model_sums import Rows
from piiscan.dp.learning.row_vectors import ONE
from piiscan.dp.learning.spread import spread
from piiscan.dp.result import Json
from piiscan.dp.run.estimators.estimator import Estimator

if TYPE_CHECKING:
    import numpy.typing as npt

    from piiscan.dp.learning.row_vectors import Floats, Ints


class StandardScaler(Estimator):
    """The mean and the standard deviation of each column, and rows scaled by them.

    It accounts for the cost of preprocessing that looks at data. After `fit`: `mean_`, `var_`, `scale_`,
    `n_samples_seen_`, and how far they may be off with 95 % (`mean_accuracy_`, `var_accuracy_`).
    """

    stored_name: ClassVar = "StandardScaler"

    mean_: npt.NDArray[np.float64]
    var_: npt.NDArray[np.float64]
    scale_: npt.NDArray[np.float64]
    n_samples_seen_: float
    deviations: ClassVar[float] = 3.0
    """`bounds_` are this many standard deviations from the mean."""

    @property
    def bounds_(self) -> dict[str, tuple[float, float]]:
        """Tighter bounds for the next model: `deviations` standard deviations around the mean.

        They stay within the declared bounds. They follow from what was released, so they are as public as that.
        """
        found = {}
        for name, domain in self._features.columns:
            if isinstance(domain, Number):
                at = self._features.names.index(name)
                away = self.deviations * float(self.scale_[at])
                low, high = (
                    max(domain.low, float(self.mean_[at]) - away),
                    min(domain.high, float(self.mean_[at]) + away),
                )
                found[name] = (low, high)
        return found

    def transform(self, data: Any) -> Floats:
        """Return the rows less the mean, over the standard deviation.

        Scaled rows are people's rows: they aren't private.
        """
        rows = self._features.middle + self._features.half * self._scaled(data)
        made: Floats = (rows - self.mean_) / self.scale_
        return made

    def _queries(self) -> tuple[Query, ...]:
        return (
            Query("rows, sums and sums of squares", model_sums.spreads_sensitivity(self._features.sensitivity), ONE**2),
        )

    def _exact(self, batches: Iterator[Rows]) -> Ints:
        return model_sums.spreads(batches, len(self._features.names), 1)

    def _learn(self, exact: Any, draws: Draws) -> Json:
        found = spread(draws.noisy(lambda: exact), self._features)
        return {
            "n_samples_seen": float(found.rows[0]),
            "n_samples_seen_accuracy": found.rows_within,
            "mean": found.means[0],
            "mean_accuracy": found.means_within[0],
            "var": found.variances[0],
            "var_accuracy": found.variances_within[0],
            "scale": np.sqrt(found.variances[0]),
        }
