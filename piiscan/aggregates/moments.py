"""Means and covariances that replace access to the rows: pooled from those of groups, and used for regressions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piiscan.core.errors import UsageError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    """The moments of `count` rows.

    They have the `mean` (columns,) and the sample `covariance` (columns, columns; divided by count − 1) of `columns`.
    """

    columns: tuple[str, ...]
    count: int
    mean: Floats
    covariance: Floats

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        count: int,
        mean: Sequence[float | None],
        std: Sequence[float | None],
        correlation: Sequence[Sequence[float | None]],
    ) -> Moments:
        """Compute moments from released figures.

        A column without a standard deviation, or an undefined correlation, adds nothing to covariances.
        """
        spread = _known(std)
        return cls(tuple(columns), count, _known(mean), spread[:, None] * spread[None, :] * _known(correlation))


def pooled(groups: Iterable[Moments]) -> Moments:
    """Pool the moments of disjoint groups into those of all their rows: exact, by the law of total covariance.

    (N − 1) · C = Σ (nᵢ − 1) · Cᵢ + Σ nᵢ · (μᵢ − μ)(μᵢ − μ)ᵀ. Raises `UsageError` if there is no group, or if they
    differ in columns.
    """
    parts = [g for g in groups if g.count > 0]
    if not parts or any(g.columns != parts[0].columns for g in parts):
        raise UsageError("pooling needs at least one group, and the same columns in all of them")
    counts = np.array([g.count for g in parts], dtype=np.float64)
    means = np.stack([g.mean for g in parts])
    mean = counts @ means / counts.sum()
    away = means - mean
    within = sum(((g.count - 1) * g.covariance for g in parts), np.zeros((mean.size, mean.size)))
    total = int(counts.sum())
    return Moments(parts[0].columns, total, mean, (within + (away * counts[:, None]).T @ away) / max(total - 1, 1))


def coefficients(moments: Moments, y: str, x: Sequence[str]) -> Floats:
    """Return (1 + x,) the intercept and the slopes of the least-squares regression of `y` on `x`.

    They equal those computed from all rows. Raises `UsageError` for columns that don't exist, and if the columns `x`
    depend on each other.

    >>> import numpy as np
    >>> line = Moments(("y", "x"), 3, np.array([5.0, 2.0]), np.array([[4.0, 2.0], [2.0, 1.0]]))
    >>> coefficients(line, "y", ["x"])
    array([1., 2.])
    """
    for name in (y, *x):
        if name not in moments.columns:
            raise UsageError(f"there are no moments of a column {name}; choose from {', '.join(moments.columns)}")
    at, of = [moments.columns.index(name) for name in x], moments.columns.index(y)
    among = moments.covariance[np.ix_(at, at)]
    if np.linalg.matrix_rank(among, hermitian=True) < len(at):
        raise UsageError(f"the columns {', '.join(x)} depend on each other, or don't vary; leave one out")
    slopes = np.linalg.solve(among, moments.covariance[at, of])
    return np.concatenate([[moments.mean[of] - slopes @ moments.mean[at]], slopes])


def _known(values: object) -> Floats:
    return np.nan_to_num(np.array(values, dtype=np.float64), nan=0.0)
