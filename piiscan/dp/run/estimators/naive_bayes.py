"""Gaussian naive Bayes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from piiscan.dp.learning import model_sums
from piiscan.dp.learning.draws import Draws, Query
from piiscan.dp.learning.model_sums import Rows
from piiscan.dp.learning.row_vectors import ONE
from piiscan.dp.learning.spread import spread
from piiscan.dp.result import Json
from piiscan.dp.run.estimators.estimator import Classifier

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats, Ints


class GaussianNB(Classifier):
    """Gaussian naive Bayes: in each class, each column has a normal distribution of its own.

    It is computed from noisy counts, sums and sums of squares. A row has one class, so all classes together cost as
    much as one. After `fit`: `class_count_`, `class_prior_`, `theta_` (means), `var_`, and how far they may be off
    with 95 % (`theta_accuracy_`, `var_accuracy_`). Categories are columns of 0 and 1.
    """

    stored_name: ClassVar = "GaussianNB"

    class_count_: Floats
    class_prior_: Floats
    theta_: Floats
    var_: Floats

    def _queries(self) -> tuple[Query, ...]:
        return (
            Query(
                "rows, sums and sums of squares of each class",
                model_sums.spreads_sensitivity(self._features.sensitivity),
                ONE**2,
            ),
        )

    def _exact(self, batches: Iterator[Rows]) -> Ints:
        return model_sums.spreads(batches, len(self._features.names), len(self.classes_))

    def _learn(self, exact: Any, draws: Draws) -> Json:
        noisy = draws.noisy(lambda: exact)
        found = spread(noisy, self._features)
        rows = np.maximum(found.rows, noisy.sd)
        return {
            "class_count": found.rows,
            "class_count_accuracy": found.rows_within,
            "class_prior": rows / rows.sum(),
            "theta": found.means,
            "theta_accuracy": found.means_within,
            "var": found.variances,
            "var_accuracy": found.variances_within,
        }

    def _log_odds(self, rows: Floats) -> Floats:
        x = self._features.middle + self._features.half * rows
        odds = [
            np.log(prior) - 0.5 * (np.log(var) + (x - mean) ** 2 / var).sum(axis=1)
            for prior, mean, var in zip(self.class_prior_, self.theta_, self.var_, strict=True)
        ]
        return np.stack(odds, axis=1)
