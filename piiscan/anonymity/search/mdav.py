"""Micro-aggregation: groups of similar rows, in which each row is replaced by the group's mean.

MDAV, maximum distance to average vector (Domingo-Ferrer and Torra, *Ordinal, continuous and heterogeneous k-anonymity
through microaggregation*, Data Mining and Knowledge Discovery 11, 2005, algorithm 3), on distinct rows that stand for
as many as they are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.histogram import Ints
from piiscan.core.errors import UsageError

Floats = npt.NDArray[np.float64]
Picked = npt.NDArray[np.intp]


def mdav(values: Floats, k: int) -> Ints:
    """Group rows by MDAV.

    Returns (rows,) the group of each row, counted from 0, in the order in which groups were
    made. `values`: (rows, columns), finite.

    Columns have equal weight: each is divided by its standard deviation. Equal rows are in one group, so the groups
    are the same for any order of the rows; where all rows differ a group has k to 2k - 1 of them, as in the paper.
    Takes (distinct rows)² / k steps, and memory for a few copies of `values`: 30,000 distinct rows take seconds, a
    million hours.
    Raises `UsageError` where there are fewer than k rows, or a number isn't finite.

    Guarantee:
        Assumes that the columns are all numeric quasi-identifiers there are, and that `means` replaces all of them
        together.
        Ensures groups of k rows or more, so that each combination of means stands in k rows or more.
        Does not protect against what the means themselves reveal: they come from the data, not from a public grid. An
        attacker who knows all rows of a group but one can compute that one, and equal rows are a group whose mean is
        their value. Sensitive values that a group shares (homogeneity) are visible; sizes count rows, not people.
        Test: test_mdav.py::test_groups_have_k_rows_or_more
    """
    if values.ndim != 2 or k < 1 or len(values) < k:
        raise UsageError(f"micro-aggregation needs at least {k} rows, and a k of at least 1")
    if not np.isfinite(values).all():
        raise UsageError("micro-aggregation needs finite numbers; leave out rows with missing values")
    points, point_of, weights = np.unique(values, axis=0, return_inverse=True, return_counts=True)
    return _grouped(_scaled(points, weights), weights, k)[point_of.reshape(-1)]


def means(values: Floats, groups: Ints) -> Floats:
    """(rows, columns) each row's group mean, the same to the last bit for any order of the rows.

    Round it for columns of whole numbers.
    """
    order = np.lexsort((*values.T[::-1], groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    sums = np.add.reduceat(values[order], starts, axis=0)
    sizes = np.diff(starts, append=len(order))
    centres: Floats = sums / sizes[:, None]
    found = np.empty_like(values)
    found[order] = np.repeat(centres, sizes, axis=0)
    return found


def _scaled(points: Floats, weights: Ints) -> Floats:
    # Divided by the largest first, so that no square overflows.
    points = points / np.maximum(np.abs(points).max(axis=0, initial=0), np.finfo(float).tiny)
    centred = points - np.average(points, axis=0, weights=weights)
    deviation = np.sqrt(np.average(centred**2, axis=0, weights=weights))
    scaled: Floats = centred / np.where(deviation > 0, deviation, 1)
    return scaled


def _grouped(points: Floats, weights: Ints, k: int) -> Ints:
    """The group of each distinct point. Points are sorted, and of equally far ones the first counts."""
    group = np.full(len(points), -1, np.int64)
    left = _Left(points, weights)
    made = 0
    while left.rows >= 2 * k:
        far = left.first_of_farthest(left.centre)
        both = left.rows >= 3 * k
        distances = left.distances(far)
        near = _nearest(distances, left.weights, k)
        group[left.take(near)] = made
        made += 1
        if both and left.rows >= 2 * k:
            other = left.points[:, np.delete(distances, near).argmax()]
            group[left.take(_nearest(left.distances(other), left.weights, k))] = made
            made += 1
    if left.rows >= k:
        group[left.numbers] = made
    elif left.rows:
        # Fewer than k are left, for points of many rows have made larger groups: each joins the nearest group.
        known = group >= 0
        sizes = np.bincount(group[known], weights[known])
        centres = np.array([np.bincount(group[known], (c * weights)[known]) / sizes for c in points.T])
        for i in left.numbers:
            group[i] = ((centres - points[i][:, None]) ** 2).sum(axis=0).argmin()
    return group


class _Left:
    """The points without a group: their numbers, `points` (columns, points), `weights`, and the number of `rows`."""

    def __init__(self, points: Floats, weights: Ints) -> None:
        self.numbers = np.arange(len(points))
        self.points = np.ascontiguousarray(points.T)
        self.weights = weights
        self.rows = int(weights.sum())

    @property
    def centre(self) -> Floats:
        # No product of matrices, whose sums depend on how many threads there are.
        found: Floats = (self.points * self.weights).sum(axis=1) / self.rows
        return found

    def distances(self, centre: Floats) -> Floats:
        """(points,) squared Euclidean distances."""
        total = np.zeros(self.points.shape[1])
        for column, middle in zip(self.points, centre, strict=True):
            off = column - middle
            off *= off
            total += off
        return total

    def first_of_farthest(self, centre: Floats) -> Floats:
        found: Floats = self.points[:, self.distances(centre).argmax()]
        return found

    def take(self, near: Picked) -> Ints:
        """Take points away, and say which they were."""
        taken = self.numbers[near]
        self.rows -= int(self.weights[near].sum())
        keep = np.ones(len(self.numbers), bool)
        keep[near] = False
        self.numbers, self.weights = self.numbers[keep], self.weights[keep]
        self.points = self.points[:, keep]
        return taken


def _nearest(distances: Floats, weights: Ints, k: int) -> Picked:
    """The places of the nearest points that are k rows together."""
    # k points are k rows or more. All that are as far as the k-th are looked at, so that the first of them count.
    edge = np.partition(distances, k - 1)[k - 1] if len(distances) > k else np.inf
    near = np.flatnonzero(distances <= edge)
    near = near[np.argsort(distances[near], kind="stable")]
    enough = int(np.searchsorted(np.cumsum(weights[near]), k)) + 1
    return near[:enough]
