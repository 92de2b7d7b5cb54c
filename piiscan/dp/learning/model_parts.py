"""From noisy sums to the parts of models. Only released numbers are used, so nothing here costs anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats


def noise_level(sd: float, size: int) -> float:
    """The typical largest eigenvalue of a symmetric matrix of noise: 2 σ √n (Wigner's semicircle)."""
    return float(2 * sd * np.sqrt(size))


def shrunk_inverse(matrix: Floats, noise: float) -> Floats:
    """The inverse of a symmetric matrix without what noise would make of it.

    Its eigenvalues become (λ − noise / 2) / λ², or 0 if that is negative: nearly 1 / λ well above the
    noise, and nothing within it, where a plain inverse would be largest. So it exists for any matrix.
    """
    values, vectors = np.linalg.eigh(matrix)
    above = values > noise / 2
    safe = np.where(above, values, 1.0)
    made: Floats = (vectors * np.where(above, (safe - noise / 2) / safe**2, 0.0)) @ vectors.T
    return made


def lifted_inverse(matrix: Floats, noise: float) -> Floats:
    """The inverse of a symmetric matrix whose eigenvalues were cut off at 0 and raised by the noise.

    A step by it is never too long.
    """
    values, vectors = np.linalg.eigh(matrix)
    made: Floats = (vectors / (np.maximum(values, 0.0) + noise)) @ vectors.T
    return made


def centred(moments: Floats, rows: float) -> tuple[Floats, Floats]:
    """Return means and sums of products of distances from them, given noisy moments with a first entry of 1."""
    sums = moments[0, 1:]
    return sums / rows, moments[1:, 1:] - np.outer(sums, sums) / rows
