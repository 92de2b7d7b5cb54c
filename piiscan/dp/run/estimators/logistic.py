"""Logistic regression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from piiscan.core.argument_kinds import of_kinds
from piiscan.core.errors import UsageError
from piiscan.dp.learning import model_parts, model_sums
from piiscan.dp.learning.draws import Draws, Query
from piiscan.dp.learning.model_sums import Rows
from piiscan.dp.learning.row_vectors import ONE
from piiscan.dp.result import Json
from piiscan.dp.run.estimators.estimator import Classifier

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats, Ints

_MOMENTUM: Final = 0.5
"""This part of the previous step is repeated (momentum, Polyak 1964), which doubles the pace where the loss is
flatter than the bound on its curvature.
"""
_LARGEST: Final = 256
"""The greatest absolute weight, in scaled columns: far above what a fit needs, and products with it stay exact."""


class LogisticRegression(Classifier):
    """The odds of each class as a linear function of the columns.

    Two classes have one function, more of them one each (multinomial). Each of `passes` sums the gradient over all
    rows, with noise, and takes the longest step that the curvature allows (Böhning 1992: no second derivative of the
    logistic loss is above a part of the sum of products of two columns, which is queried once, with noise). So no step
    length has to be tuned, and the number of passes is fixed. After `fit`: `coef_` and `intercept_` in the columns'
    own units.
    """

    stored_name: ClassVar = "LogisticRegression"

    coef_: Floats
    intercept_: Floats
    parameters: ClassVar = ("passes",)

    @of_kinds
    def __init__(
        self,
        *,
        target: str,
        classes: Sequence[str | int | bool],
        bounds: Mapping[str, tuple[float, float]] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        clip: float | None = None,
        passes: int = 15,
    ) -> None:
        super().__init__(target=target, classes=classes, bounds=bounds, categories=categories, clip=clip)
        if not 1 <= passes <= 1000:
            raise UsageError("passes must be a number from 1 to 1000")
        self.passes = passes

    def decision_function(self, data: Any) -> Floats:
        """Return for each row the logarithm of the odds: of the second of two classes, else of each.

        It isn't private.
        """
        rows = self._features.middle + self._features.half * self._scaled(data)
        made: Floats = rows @ self.coef_.T + self.intercept_
        return made[:, 0] if len(self.classes_) == 2 else made

    def _log_odds(self, rows: Floats) -> Floats:
        odds = (self._features.middle + self._features.half * rows) @ self.coef_.T + self.intercept_
        return np.hstack([np.zeros_like(odds), odds]) if len(self.classes_) == 2 else odds

    def _queries(self) -> tuple[Query, ...]:
        sensitivity = model_sums.gradient_sensitivity(self._features.sensitivity, len(self.classes_))
        passes = (Query(f"gradient, pass {i + 1}", sensitivity, ONE**2) for i in range(self.passes))
        return (Query("sums of products", model_sums.products_sensitivity(self._features.sensitivity), ONE**2), *passes)

    def _exact(self, batches: Iterator[Rows]) -> list[Rows]:
        return list(batches)

    def _learn(self, exact: Any, draws: Draws) -> Json:
        size, classes = len(self._features.names), len(self.classes_)
        moments = draws.noisy(lambda: model_sums.products(exact, size))
        steepest = model_sums.square(moments.values, size)
        step = model_parts.lifted_inverse(steepest, model_parts.noise_level(moments.sd, size + 1)) * (
            4 if classes == 2 else 2
        )
        weights = np.zeros((1 if classes == 2 else classes, size + 1))
        before = weights
        for _ in range(self.passes):
            slope = draws.noisy(partial(model_sums.gradient, exact, _whole(weights))).values.reshape(weights.shape)
            moved = weights - slope @ step + _MOMENTUM * (weights - before)
            before, weights = weights, np.clip(moved, -_LARGEST, _LARGEST)
        coef = weights[:, 1:] / self._features.half
        return {"coef": coef, "intercept": weights[:, 0] - coef @ self._features.middle}


def _whole(weights: Floats) -> Ints:
    made: Ints = np.rint(weights * ONE).astype(np.int64)
    return made
