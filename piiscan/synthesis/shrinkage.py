"""Noisy counts of numeric columns, and of pairs with one, without the part of them that looks like noise.

Neighbouring bins of a number mostly hold similar shares, and noise doesn't know of neighbours. So counts are written as
a sum of waves or polynomials, from broad to narrow, and each group of these shrinks towards 0 by as much of its size as
noise of known variance explains. Peaks that stand out from noise stay. It is computed from released counts alone, so it
costs nothing.

Sources: James and Stein 1961 (shrinkage); Baranchik 1964 (never below 0); Cavalier and Tsybakov 2001 (group by group).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.synthesis.fit_distribution import Table, number_of_rows, shares_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats, Scope

MOST_BINS: Final = 2000
"""A column with more bins isn't smoothed, as time and memory grow with their square."""
LARGEST: Final = 0.25
"""How far shares are expected to be from even ones at most, as a sum of squares: where one value has half of the rows,
and many values share the others. Beside it, noise that is larger than the table shrinks even what happens to stand out.
"""


class Evened(NamedTuple):
    """Counts of columns without what noise explains, the share of each code by them, and the number of rows."""

    tables: list[Table]
    shares: dict[Scope, Floats]
    rows: float


def evened(singles: Sequence[Table], numeric: Collection[int]) -> Evened:
    """Even out noisy counts of single columns. `numeric`: the numbers of those with bins.

    The number of rows is that of the noisy counts, as a release says how accurate it is.
    """
    rows = number_of_rows(singles)
    tables = [smoothed(table, table.scope[0] in numeric, rows) for table in singles]
    return Evened(tables, shares_of(tables, rows), rows)


def smoothed(single: Table, numeric: bool, rows: float) -> Table:
    """Shrink the counts of a column towards even ones, which add up to `rows`.

    Of categories, all differences from even counts of the declared words, and from none of other words (the code before
    the last) and of missing values (the last code), are a group. The counts of a numeric column's bins are a sum of
    cosine waves, of which groups have twice as many each; missing values, its last code, shrink towards none. More than
    `MOST_BINS` bins stay as they are. The result's `sigma` is that of the noise left, of all counts or of each.
    """
    noise, codes = float(single.sigma), len(single.counts)
    most = LARGEST * rows**2
    if not numeric:
        even = np.append(np.full(codes - 2, rows / (codes - 2)), [0.0, 0.0])
        apart = single.counts - even
        size, left = _shrunk(apart - apart.mean(), np.zeros(codes, dtype=np.int64), noise, most)
        return Table(single.scope, even + size, noise * np.sqrt(left))
    bins = codes - 1
    if bins > MOST_BINS:
        return single
    waves = np.cos(np.pi * np.outer(np.arange(bins), np.arange(bins) + 0.5) / bins)
    waves /= np.linalg.norm(waves, axis=1, keepdims=True)
    groups = np.floor(np.log2(np.maximum(np.arange(bins), 2))).astype(np.int64)
    groups[:1] = -1  # the sum of all bins
    missing = single.counts[-1] * most / (most + noise**2)
    sizes = waves @ single.counts[:-1]
    sizes[0] = (rows - missing) / np.sqrt(bins)
    size, left = _shrunk(sizes, groups, noise, most)
    counts = np.append(waves.T @ size, missing)
    return Table(single.scope, counts, np.append(np.full(bins, noise * np.sqrt(left)), noise))


def shrunk(pair: Table, rows: float, shares: Sequence[Floats], numeric: Sequence[bool]) -> Table:
    """Shrink how a table of two columns, one of them numeric or both, differs from that of independent columns.

    shares: those of each column's codes; the last code of a numeric column is that of missing values. Polynomials of
    two columns are a group if the higher of their two degrees is the same, and those of one column for all categories
    of the other if its degree is. What missing values have in common with the other column is a group of its own. Sums
    of the table's lines stay as they are. A table of two columns of categories, which have no order, stays as it is.
    """
    if not any(numeric):
        return pair
    expected = rows * np.outer(*shares)
    (left, first), (right, second) = (
        _polynomials(own) if has_order else _contrasts(len(own)) for own, has_order in zip(shares, numeric, strict=True)
    )
    degrees = np.where(np.minimum.outer(first, second) > 0, np.maximum.outer(first, second), 0)
    degrees[0, :] = degrees[:, 0] = -1
    noise = float(pair.sigma)
    apart = (left.T @ (pair.counts - expected) @ right).ravel()
    size, remaining = _shrunk(apart, degrees.ravel(), noise, LARGEST * rows**2)
    counts = expected + left @ size.reshape(pair.counts.shape) @ right.T
    return Table(pair.scope, counts, noise * np.sqrt(remaining))


def _shrunk(sizes: Floats, groups: Ints, sigma: float, most: float) -> tuple[Floats, float]:
    """Shrink each group of coefficients, whose noise has standard deviation `sigma`; group −1 stays as it is.

    `most`: the largest sum of squares of a group that is expected without noise. Also returns the share of the noise's
    variance that is left.
    """
    result, left = sizes.copy(), 0.0
    for group in np.unique(groups):
        inside = groups == group
        count, energy = int(inside.sum()), float(np.sum(sizes[inside] ** 2))
        kept = 1.0
        if group >= 0:
            kept = most / (most + count * sigma**2)
            if count >= 3:
                kept = min(kept, max(0.0, 1 - (count - 2) * sigma**2 / max(energy, 1e-12)))
        result[inside] *= kept
        left += kept * count
    return result, max(left, 1.0) / len(sizes)


def _contrasts(codes: int) -> tuple[Floats, Ints]:
    """Return orthonormal columns, of which all but the first add up to 0, and 1 for each of these."""
    found, _ = np.linalg.qr(np.column_stack([np.ones(codes), np.eye(codes)[:, : codes - 1]]))
    return found, np.minimum(np.arange(codes), 1)


def _polynomials(shares: Floats) -> tuple[Floats, Ints]:
    """Return orthonormal columns: a constant, shares of bins times polynomials of their ranks, then missing values.

    All but the first add up to 0. Also returns the degree of each polynomial, from 1 to less than the number of bins;
    0 for the others.
    """
    bins = np.maximum(shares[:-1], 1e-12) / np.maximum(shares[:-1], 1e-12).sum()
    ranks = 2 * np.cumsum(bins) - bins - 1
    powers = np.polynomial.legendre.legvander(ranks, len(bins) - 1)[:, 1:]
    raw = np.zeros((len(shares), len(shares)))
    raw[:, 0], raw[-1, -1] = 1.0, 1.0
    raw[:-1, 1:-1] = bins[:, None] * (powers - bins @ powers)
    found, _ = np.linalg.qr(raw)
    return found, np.append(np.arange(len(bins)), 0)
