"""Draws the noise for the sums of a model, one after the other, within the charge for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from piiscan.dp import noise
from piiscan.dp.accounting import Loss, zcdp_rho
from piiscan.dp.estimates import ALPHA
from piiscan.dp.learning.row_vectors import Sensitivity
from piiscan.dp.noise import Share
from piiscan.dp.queries import Costs

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats, Ints

_LAPLACE: Final = math.sqrt(2)
"""The standard deviation of Laplace noise of scale 1."""


class Query(NamedTuple):
    """A sum that noise is drawn for.

    It has a name, its sensitivity to one row, and the integer that represents 1 (a row, say).
    """

    name: str
    sensitivity: Sensitivity
    one: int


class Noisy(NamedTuple):
    """Noisy integers as multiples of their query's `one`, and the noise that was added to them."""

    values: Floats
    share: Share
    scale: float
    one: int

    @property
    def sd(self) -> float:
        """The standard deviation of the noise."""
        return self.scale / self.one * (_LAPLACE if self.share.mechanism == "laplace" else 1)

    def within(self, parts: int) -> float:
        """Return the ± that contains the noise with 95 %, if `parts` numbers have to hold at once."""
        return noise.accuracy(self.share.mechanism, self.scale, ALPHA / parts) / self.one


def costs(queries: Sequence[Query], epsilon: float, delta: float, gaussian_only: bool = False) -> Costs:
    """An equal share for each query.

    With a δ the noise is Gaussian, unless Laplace noise is the smaller (by the geometric mean over queries) and
    allowed.

    The δ that was declared is charged in both cases, so that the cost of a fit is known beforehand.
    """
    n = len(queries)
    basic = Share("laplace", epsilon / n)
    losing = Costs(basic, 0.0, Loss(epsilon, delta, epsilon * basic.amount / 2, 0.0))
    rho = zcdp_rho(epsilon, delta) if delta else 0.0
    if rho <= 0:
        return losing
    gaussian = Share("gaussian", rho / n)
    if gaussian_only:
        return Costs(gaussian, 0.0, Loss(epsilon, delta, rho, 0.0))
    gain = sum(math.log(_LAPLACE * _scale(q, basic)) - math.log(_scale(q, gaussian)) for q in queries)
    return Costs(gaussian, 0.0, Loss(epsilon, delta, rho, 0.0)) if gain > 0 else losing


def sensitivity(query: Query, share: Share, max_rows: int) -> int:
    """How far one unit moves a query's integers, in the norm of the noise: L1 for Laplace, L2 for Gaussian noise."""
    norm = query.sensitivity.l1 if share.mechanism == "laplace" else math.isqrt(query.sensitivity.squared - 1) + 1
    return norm * max_rows


class Draws:
    """The queries of one model in the order in which they are charged.

    Guarantee:
        Assumes: `costs` has been charged; one row moves each query's integers by its sensitivity at most, given what
        was released before.
        Ensures: everything that `noisy` returns together costs at most the charge: every query has one draw, of its
        share, and there are no others.
        Does not protect against: other releases about the same people.
        Test: test_learning_privacy.py::test_what_is_drawn_is_what_was_charged
    """

    def __init__(
        self, queries: Sequence[Query], costs: Costs, max_rows: int, added: noise.Adder = noise.added_to
    ) -> None:
        self.share = costs.share
        self._added = added
        self.entries: list[dict[str, Any]] = []
        self._left = list(queries)
        self._max_rows = max_rows

    def noisy(self, exact: Callable[[], Ints]) -> Noisy:
        """The next query's integers, with noise; `exact` returns them without."""
        query = self._left.pop(0)
        moved = sensitivity(query, self.share, self._max_rows)
        drawn = self._added(lambda: [int(n) for n in exact()], moved, self.share)
        self.entries.append(
            {
                "query": query.name,
                "integers": len(drawn.values),
                "share": self.share.amount,
                "sensitivity": moved,
                "norm": "L1" if self.share.mechanism == "laplace" else "L2",
                "scale": drawn.scale,
                "accuracy": noise.accuracy(self.share.mechanism, drawn.scale),
                "unit": f"1/{query.one}",
            }
        )
        return Noisy(np.array(drawn.values, dtype=np.float64) / query.one, self.share, drawn.scale, query.one)


def _scale(query: Query, share: Share) -> float:
    return noise.scale_of(share, sensitivity(query, share, 1))
