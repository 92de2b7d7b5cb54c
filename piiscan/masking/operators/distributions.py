"""Which of several distributions fits a column of numbers best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

NAMES: Final = (
    "norm",
    "uniform",
    "expon",
    "gamma",
    "lognorm",
    "exponnorm",
    "weibull_min",
    "logistic",
    "laplace",
    "gumbel_r",
)
"""Distributions that can be fitted, as scipy calls them. Of two that fit as well, the earlier is taken."""
POINTS: Final = 5_000
_NEAR: Final = 2.0


class Law(NamedTuple):
    """A fitted distribution.

    Its parameters in scipy's order, Akaike's information criterion, and the Kolmogorov-Smirnov distance.
    """

    name: str
    parameters: tuple[float, ...]
    aic: float
    ks: float

    def cdf(self, x: float) -> float:
        return float(_law(self.name).cdf(x, *self.parameters))

    def quantile(self, u: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        result: npt.NDArray[np.float64] = _law(self.name).ppf(u, *self.parameters)
        return result


def fit(
    values: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], names: Sequence[str] = NAMES
) -> tuple[Law, ...]:
    """The distributions that could be fitted, best first: values ascending, with how often each occurs.

    Each is fitted by maximum likelihood to at most 5,000 evenly spaced quantiles, which are the same for every order
    and partitioning of the rows. The best is the one with the smallest AIC among those whose Kolmogorov-Smirnov
    distance is at most twice
    the smallest: likelihood alone would prefer a distribution that piles up infinitely at one point.

    Raises `MissingExtra` without scipy.
    """
    import warnings

    import numpy as np

    points = quantiles(values, counts)
    laws = []
    for name in names:
        law = _law(name)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                parameters = tuple(float(p) for p in law.fit(points))
                likelihood = float(np.sum(law.logpdf(points, *parameters)))
                ks = _distance(law.cdf(values, *parameters), counts)
            except (ValueError, RuntimeError, FloatingPointError):  # scipy's FitError is a RuntimeError
                continue
        if np.isfinite(likelihood) and np.isfinite(ks):
            laws.append(Law(name, parameters, 2 * len(parameters) - 2 * likelihood, ks))
    near = _NEAR * min((law.ks for law in laws), default=0.0)
    return tuple(sorted(laws, key=lambda law: (law.ks > near, law.aic)))


def quantiles(values: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The values in the middle of equal parts of the column, a part for each cell or 5,000 parts."""
    import numpy as np

    total = np.cumsum(counts)
    parts = int(min(total[-1], POINTS))
    middles = (2 * np.arange(parts, dtype=np.int64) + 1) * int(total[-1]) // (2 * parts)
    result: npt.NDArray[np.float64] = values[np.searchsorted(total, middles, side="right")]
    return result


def _distance(cdf: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> float:
    import numpy as np

    above = np.cumsum(counts) / counts.sum()
    below = above - counts / counts.sum()
    return float(max(np.max(np.abs(cdf - above)), np.max(np.abs(cdf - below))))


def _law(name: str) -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtra(
            "fitting distributions needs an optional package: pip install 'piiscan-toolkit[fit]'"
        ) from None
    return getattr(stats, name)
