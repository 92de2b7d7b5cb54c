"""Linear regression by least squares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from piiscan.core.argument_kinds import of_kinds
from piiscan.core.errors import UsageError
from piiscan.dp import domains as d
from piiscan.dp.domains import Number
from piiscan.dp.learning import model_parts, model_sums
from piiscan.dp.learning.draws import Draws, Query
from piiscan.dp.learning.model_sums import Rows
from piiscan.dp.learning.row_vectors import CONSTANT, ONE, Features
from piiscan.dp.result import Json
from piiscan.dp.run.estimators.estimator import Predictor

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Bools, Floats, Ints


class LinearRegression(Predictor):
    """The column `target` as a linear function of the others, by least squares with noise.

    `target` has bounds like the others. The model is computed from noisy sums of products of two columns. After `fit`:
    `coef_` and `intercept_` in the columns' own units, and `n_samples_`. Directions of the columns in which the signal
    is no larger than the noise are left out: with much noise, coefficients go to 0 and predictions to the mean of the
    target.
    """

    stored_name: ClassVar = "LinearRegression"

    coef_: Floats
    intercept_: float
    n_samples_: float

    @of_kinds
    def __init__(
        self,
        *,
        target: str,
        bounds: Mapping[str, tuple[float, float]],
        categories: Mapping[str, Sequence[str]] | None = None,
        clip: float | None = None,
    ) -> None:
        super().__init__(bounds=bounds, categories=categories, clip=clip)
        of = dict(self._features.columns).get(target)
        if not isinstance(of, Number):
            raise UsageError(
                f"column {target}: the target of a regression is a number between public bounds; declare them "
                f"with bounds={{{target!r}: (LOW, HIGH)}}"
            )
        self._with_target(target, of)
        self._declare([(name, domain) for name, domain in self._features.columns if name != target], clip)

    def predict(self, data: Any) -> Floats:
        """Return the expected target of each row. Results for people's rows aren't private."""
        rows = self._scaled(data)
        made: Floats = self.intercept_ + (self._features.middle + self._features.half * rows) @ self.coef_
        return made

    def score(self, data: Any, target: Any = None) -> float:
        """Return R², the explained part of the target's variance, over rows that have a target.

        target: numbers, if `data` is an array. The score isn't private.
        """
        frames = self._frames(data, [self.target]) if target is None else [pl.DataFrame({self.target: list(target)})]
        true = np.concatenate([d.numbers(frame[self.target]).fill_null(float("nan")).to_numpy() for frame in frames])
        there = np.isfinite(true)
        return float(1 - np.mean((true - self.predict(data))[there] ** 2) / np.var(true[there]))

    def _right_of(self, frame: pl.DataFrame, within: float | None) -> Bools:
        assert within is not None
        rows, there = self._features.scaled(frame)
        true = d.numbers(frame[self.target]).fill_null(float("nan")).to_numpy()
        counted: Bools = there & np.isfinite(true)
        values = self._features.middle + self._features.half * rows[counted]
        # Not a product of matrices, whose last bits may depend on which other rows there are.
        made: Bools = np.abs(self.intercept_ + (values * self.coef_).sum(axis=1) - true[counted]) <= within
        return made

    def _queries(self) -> tuple[Query, ...]:
        return (
            Query("sums of products", model_sums.products_sensitivity(self._features.sensitivity + CONSTANT), ONE**2),
        )

    def _exact(self, batches: Iterator[Rows]) -> Ints:
        return model_sums.products(batches, len(self._features.names) + 1)

    def _coded(self, frame: pl.DataFrame) -> Rows:
        vectors, there = self._features.coded(frame)
        target, also = Features(((self.target, self._target),)).coded(frame)
        rows = np.hstack([vectors, target])[there & also]
        return Rows(rows, np.zeros(len(rows), dtype=np.int64))

    def _learn(self, exact: Any, draws: Draws) -> Json:
        noisy = draws.noisy(lambda: exact)
        size = len(self._features.names)
        moments = model_sums.square(noisy.values, size + 1)
        means, about = model_parts.centred(moments, max(moments[0, 0], noisy.sd))
        scaled = (
            model_parts.shrunk_inverse(about[:size, :size], model_parts.noise_level(noisy.sd, size))
            @ about[:size, size]
        )
        target = Features(((self.target, self._target),))
        means = np.clip(means, [*self._features.lowest, -1.0], 1.0)
        away = float(means[size] - means[:size] @ scaled)
        coef = scaled * target.half / self._features.half
        intercept = float(target.middle[0] + target.half[0] * away - coef @ self._features.middle)
        return {
            "coef": coef,
            "intercept": intercept,
            "n_samples": float(moments[0, 0]),
            "n_samples_accuracy": noisy.within(1),
        }
