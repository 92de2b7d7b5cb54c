"""Micro-aggregation: numeric quasi-identifiers are replaced by the means of groups of at least k rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from piiscan.anonymity.classes import Classes, grouped
from piiscan.anonymity.models.model import View
from piiscan.anonymity.models.privacy_models import PrivacyModels
from piiscan.anonymity.search.label_utility import Utility
from piiscan.anonymity.search.mdav import mdav, means
from piiscan.anonymity.search.problem import Problem
from piiscan.anonymity.solve import Solution
from piiscan.core.errors import UsageError


def microaggregated(problem: Problem, requested: PrivacyModels) -> Solution:
    """Micro-aggregate the quasi-identifiers of a table by MDAV.

    Means have as many decimals as the values. The loss of a column is the share of its variance that is lost within
    groups: the sum of squared errors over the sum of squares (Domingo-Ferrer and Mateo-Sanz, TKDE 2002). Raises
    `UsageError` for other models than k-anonymity, units, and columns that aren't numbers throughout.
    """
    if requested != PrivacyModels(k=requested.k) or requested.k is None or problem.unit is not None:
        raise UsageError("micro-aggregation ensures k-anonymity of rows only; leave out the other models and --unit")
    values = np.stack([_numbers(problem, i) for i in range(len(problem.shape))], axis=1)
    rows = np.repeat(np.arange(len(values)), problem.rows)
    first = np.searchsorted(rows, np.arange(len(values)))
    groups = mdav(values[rows], requested.k)
    centres = means(values[rows], groups)[first]
    decimals = [_decimals(problem, i) for i in range(len(problem.shape))]
    centres = np.stack([np.round(c, d) for c, d in zip(centres.T, decimals, strict=True)], axis=1)
    labels = tuple(
        pl.Series([f"{x:.{d}f}" for x in c.tolist()], dtype=pl.String) for c, d in zip(centres.T, decimals, strict=True)
    )
    of, number = grouped(
        [np.unique(c, return_inverse=True)[1].reshape(-1) for c in centres.T], [len(np.unique(c)) for c in centres.T]
    )
    sizes = np.bincount(of, weights=problem.rows, minlength=number).astype(np.int64)
    lost = _lost(values, centres, problem.rows)
    use = Utility(tuple(lost), int((problem.rows * sizes[of]).sum()), problem.total / number, None, None)
    return Solution(
        problem,
        labels,
        (True,) * len(labels),
        np.ones(len(values), bool),
        None,
        use.mean_loss,
        View(Classes(of, sizes), {}, None),
        use,
    )


def _numbers(problem: Problem, column: int) -> npt.NDArray[np.float64]:
    hierarchy = problem.hierarchies[column]
    numbers = pl.Series(hierarchy.leaves, dtype=pl.String).cast(pl.Float64, strict=False)
    cells = numbers.gather(problem.leaves[column])
    if cells.null_count():
        raise UsageError(
            f"micro-aggregation needs a number in every row, and {hierarchy.column} has other cells; use --method "
            "optimal or local"
        )
    return cells.to_numpy()


def _decimals(problem: Problem, column: int) -> int:
    """Return the largest number of digits that a value has after its decimal point."""
    written = pl.Series(problem.hierarchies[column].leaves, dtype=pl.String)
    return int(written.str.extract(r"\.([0-9]+)$").str.len_chars().max() or 0)  # type: ignore[arg-type]


def _lost(
    values: npt.NDArray[np.float64], centres: npt.NDArray[np.float64], rows: npt.NDArray[np.int64]
) -> list[float]:
    middle = np.average(values, axis=0, weights=rows)
    within, whole = (
        ((values - centres) ** 2 * rows[:, None]).sum(axis=0),
        ((values - middle) ** 2 * rows[:, None]).sum(axis=0),
    )
    return [float(w / s) if s else 0.0 for w, s in zip(within, whole, strict=True)]
