"""Principal components."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from piiscan.core.argument_kinds import of_kinds
from piiscan.core.errors import UsageError
from piiscan.dp.learning import model_parts, model_sums
from piiscan.dp.learning.draws import Draws, Query
from piiscan.dp.learning.model_sums import Rows
from piiscan.dp.learning.row_vectors import ONE
from piiscan.dp.result import Json
from piiscan.dp.run.estimators.estimator import Estimator

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats, Ints


class PCA(Estimator):
    """Principal components: the directions in which scaled columns vary most.

    They are computed from noisy sums of products, centred by the noisy mean. All values are in scaled columns, −1 … 1
    between bounds. After `fit`: `components_` (the largest entry of each is positive), `mean_`, `explained_variance_`,
    `explained_variance_ratio_`, `n_samples_`. A direction whose variance is below the noise is noise.
    """

    stored_name: ClassVar = "PCA"

    components_: Floats
    mean_: Floats
    explained_variance_: Floats
    explained_variance_ratio_: Floats
    n_samples_: float
    parameters: ClassVar = ("n_components",)

    @of_kinds
    def __init__(
        self,
        n_components: int | None = None,
        *,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        clip: float | None = None,
    ) -> None:
        super().__init__(bounds=bounds, categories=categories, clip=clip)
        size = len(self._features.names)
        self.n_components = size if n_components is None else n_components
        if not 1 <= self.n_components <= size:
            raise UsageError(f"n_components must be a number from 1 to {size}, the number of entries")

    def transform(self, data: Any) -> Floats:
        """Return the rows projected on the components. Projected rows are people's rows: they aren't private."""
        made: Floats = (self._scaled(data) - self.mean_) @ self.components_.T
        return made

    def _queries(self) -> tuple[Query, ...]:
        return (Query("sums of products", model_sums.products_sensitivity(self._features.sensitivity), ONE**2),)

    def _exact(self, batches: Iterator[Rows]) -> Ints:
        return model_sums.products(batches, len(self._features.names))

    def _learn(self, exact: Any, draws: Draws) -> Json:
        noisy = draws.noisy(lambda: exact)
        size = len(self._features.names)
        moments = model_sums.square(noisy.values, size)
        rows = max(moments[0, 0], noisy.sd)
        means, about = model_parts.centred(moments, rows)
        variances, vectors = np.linalg.eigh(about / rows)
        variances = np.maximum(variances[::-1], 0.0)
        components = vectors.T[::-1]
        components = components * np.sign(components[np.arange(size), np.abs(components).argmax(axis=1)])[:, None]
        n = self.n_components
        return {
            "components": components[:n],
            "mean": np.clip(means, self._features.lowest, 1.0),
            "explained_variance": variances[:n],
            "explained_variance_ratio": variances[:n] / max(float(variances.sum()), ONE**-2.0),
            "noise_level": model_parts.noise_level(noisy.sd, size) / rows,
            "n_samples": float(moments[0, 0]),
            "n_samples_accuracy": noisy.within(1),
        }
