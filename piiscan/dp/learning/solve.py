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


def start(lowest: Floats, k: int, seed: int) -> Floats:
    """Places to begin clusters at, far from each other and from the ends of the bounds, where spheres around them have room (Su et al. 2016).

    `lowest`: where each entry begins, up to 1. Of seeded candidates the one comes next that is the farthest from those before it, an end of
    the bounds being as far as the point beyond it. Nothing of it depends on data.
    """
    generator = np.random.default_rng(seed)
    candidates = generator.uniform(lowest, 1.0, size=(2000, len(lowest)))
    free = 2 * np.minimum(candidates - lowest, 1.0 - candidates).min(axis=1)
    chosen: list[Floats] = []
    for _ in range(k):
        chosen.append(candidates[int(np.argmax(free))])
        free = np.minimum(free, np.sqrt(((candidates - chosen[-1]) ** 2).sum(axis=1)))
    return np.array(chosen)
