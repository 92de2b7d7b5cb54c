"""Exact sums over rows, and how far one row moves each. Vectors have entries of at most `ONE` (see `Features`).

Sums use float64 matrix products of integers below 2^53, which are exact in any order; what depends on a row is
computed in integers, or entry by entry. So a row contributes the same whatever other rows there are, which the
sensitivities rely on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.dp.learning.row_vectors import CONSTANT, ONE, Sensitivity

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats, Ints, Short

_TOGETHER: Final = 1 << 15
"""Rows at a time: products of entries, summed over them, stay far below 2^53."""

_STEPS: Final = 64
"""Steps of a logarithmic odds ratio within 1."""
_FARTHEST: Final = 20
_EXPONENTIALS: Final = np.rint(ONE * ONE * np.exp(-np.arange(_FARTHEST * _STEPS + 1) / _STEPS)).astype(np.int64)


class Rows(NamedTuple):
    """Vectors of rows, and the index of each row's class (0 if there are no classes)."""

    vectors: Short
    classes: Ints


def with_constant(rows: Short) -> Floats:
    """The vectors with an additional first entry `ONE`."""
    made = np.empty((len(rows), rows.shape[1] + 1))
    made[:, 0] = ONE
    made[:, 1:] = rows
    return made


def products(batches: Iterable[Rows], size: int) -> Ints:
    """The sum of all products of two entries of (ONE, vector): its upper triangle, row by row."""
    total = np.zeros((size + 1, size + 1), dtype=np.int64)
    for rows in _parts(batches):
        a = with_constant(rows.vectors)
        total += np.rint(a.T @ a).astype(np.int64)
    made: Ints = total[np.triu_indices(size + 1)]
    return made


def products_sensitivity(vector: Sensitivity) -> Sensitivity:
    """The sensitivity of `products`.

    With a = (ONE, vector): Σ_{i≤j} |aᵢaⱼ| = (‖a‖₁² + ‖a‖₂²) / 2, and Σ_{i≤j} aᵢ²aⱼ² = (‖a‖₂⁴ + Σ aᵢ⁴) / 2, where Σ aᵢ⁴
    ≤ ONE² ‖a‖₂² as no entry is above ONE.
    """
    a = vector + CONSTANT
    return Sensitivity((a.l1**2 + a.squared) // 2, (a.squared**2 + ONE**2 * a.squared) // 2)


def square(triangle: Floats, size: int) -> Floats:
    """The symmetric matrix of an upper triangle."""
    made = np.zeros((size + 1, size + 1))
    made[np.triu_indices(size + 1)] = triangle
    return made + np.triu(made, 1).T


def spreads(batches: Iterable[Rows], size: int, classes: int) -> Ints:
    """For each class ONE² for each row, and the sums of ONE · entry and of entry².

    The shape is classes × (1 + 2 · size), row by row.
    """
    total = np.zeros((classes, 1 + 2 * size), dtype=np.int64)
    for rows in _parts(batches):
        a = with_constant(rows.vectors)
        here = (rows.classes == np.arange(classes)[:, None]).astype(np.float64)
        total += np.rint(here @ np.hstack([ONE * a, a[:, 1:] ** 2])).astype(np.int64)
    return total.reshape(-1)


def spreads_sensitivity(vector: Sensitivity) -> Sensitivity:
    """The sensitivity of `spreads`, in which a row has one class.

    With v = vector: ONE² + ONE ‖v‖₁ + ‖v‖₂² in the L1 norm, and ONE⁴ + ONE² ‖v‖₂² + Σ vᵢ⁴ squared in the L2 norm,
    where Σ vᵢ⁴ ≤ ONE² ‖v‖₂².
    """
    return Sensitivity(ONE**2 + ONE * vector.l1 + vector.squared, ONE**4 + 2 * ONE**2 * vector.squared)


def clusters(batches: Iterable[Rows], centres: Ints) -> Ints:
    """For each centre the sum of (ONE, vector) over the rows that are nearest to it, row by row.

    Ties go to the first centre.
    """
    total = np.zeros((len(centres), centres.shape[1] + 1), dtype=np.int64)
    for rows in _parts(batches):
        a = with_constant(rows.vectors)
        nearest = nearest_centre(a[:, 1:], centres.astype(np.float64))
        here = (nearest == np.arange(len(centres))[:, None]).astype(np.float64)
        total += np.rint(here @ a).astype(np.int64)
    return total.reshape(-1)


def clusters_sensitivity(vector: Sensitivity) -> Sensitivity:
    """The sensitivity of `clusters`: a row belongs to one cluster."""
    return vector + CONSTANT


def nearest_centre(rows: Floats, centres: Floats) -> Ints:
    """Return the index of the nearest centre; ties go to the first one.

    Distances of whole numbers are compared exactly.
    """
    made: Ints = np.argmin((centres * centres).sum(axis=1) - 2 * (rows @ centres.T), axis=1)
    return made


def gradient(batches: Iterable[Rows], weights: Ints) -> Ints:
    """The sum of (P − ONE · class) ⊗ (ONE, vector), the gradient of the logistic loss.

    The shape is classes × (1 + size), row by row.

    `weights`: classes × (1 + size), as multiples of 1 / ONE. P: each class's probability by them, from 0 to ONE. For
    two classes only the second one's row is kept (the first one's is its opposite), and `weights` has only that row.
    """
    total = np.zeros(weights.shape, dtype=np.int64)
    for rows in _parts(batches):
        a = with_constant(rows.vectors)
        off = probabilities(a, weights)
        if len(weights) == 1:
            off = off[:, 1:] - ONE * rows.classes[:, None]
        else:
            off[np.arange(len(off)), rows.classes] -= ONE
        total += np.rint(off.astype(np.float64).T @ a).astype(np.int64)
    return total.reshape(-1)


def gradient_sensitivity(vector: Sensitivity, classes: int) -> Sensitivity:
    """The sensitivity of `gradient`: the norms of an outer product are the products of norms.

    Of the residual r = P − ONE · class: P is not negative and sums to ONE at most, so |r| at the row's own class is t
    ≤ ONE, and the rest of P sums to t at most: ‖r‖₁ ≤ 2 ONE, ‖r‖₂² ≤ 2 ONE². Two classes have only one entry: ONE at
    most.
    """
    a, entries = vector + CONSTANT, 1 if classes == 2 else 2
    return Sensitivity(entries * ONE * a.l1, entries * ONE**2 * a.squared)


def probabilities(rows: Floats, weights: Ints) -> Ints:
    """The probability of each class, in units of 1 / ONE and rounded down: 0 at least, and ONE at most in all.

    `rows` are whole numbers, and so are their products with `weights`; exponentials come from a table of whole numbers.
    So the result is the same on every machine.
    """
    odds = np.rint(rows @ weights.astype(np.float64).T).astype(np.int64) >> 18  # ONE² · odds, to odds · _STEPS
    return shares(np.hstack([np.zeros_like(odds), odds]) if len(weights) == 1 else odds)


def shares(odds: Ints) -> Ints:
    """The probability of each class by its log-odds in steps of 1/64, up to a constant: in units of 1 / ONE.

    Rounded down: 0 at least, and ONE at most in all. The same on every machine.
    """
    away = np.minimum(odds.max(axis=1, keepdims=True) - odds, len(_EXPONENTIALS) - 1)
    e = _EXPONENTIALS[away]
    made: Ints = ONE * e // e.sum(axis=1, keepdims=True)
    return made


def _parts(batches: Iterable[Rows]) -> Iterator[Rows]:
    for rows in batches:
        for at in range(0, len(rows.vectors), _TOGETHER):
            yield Rows(rows.vectors[at : at + _TOGETHER], rows.classes[at : at + _TOGETHER])
