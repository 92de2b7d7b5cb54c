"""From noisy sums to the parts of models. Only what was released is used: nothing here costs anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from piiscan.dp.learning.features import Floats


def noise_level(sd: float, size: int) -> float:
    """How large the eigenvalues of a symmetric matrix of noise are: 2 σ √n (Wigner's semicircle)."""
    return float(2 * sd * np.sqrt(size))


def definite(matrix: Floats, least: float) -> Floats:
    """A symmetric matrix, with as much added along its diagonal as no eigenvalue needs to be below `least` (Wang 2018, AdaSSP).

    A matrix of sums has no negative eigenvalues, noise has. What is well above the noise stays as it is.
    """
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    made: Floats = matrix + max(0.0, least - lowest) * np.eye(len(matrix))
    return made


def centred(moments: Floats, rows: float) -> tuple[Floats, Floats]:
    """The means, and the sums of products of distances from them, of noisy moments in which the constant 1 comes first."""
    sums = moments[0, 1:]
    return sums / rows, moments[1:, 1:] - np.outer(sums, sums) / rows
