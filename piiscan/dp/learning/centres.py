"""Where clusters begin, and which of many noisy centres belong together.

Nothing here reads a row, so nothing costs anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats

_CANDIDATES: Final = 2000
_STARTS: Final = 10
_MOVES: Final = 25


def start(lowest: Floats, k: int, seed: int) -> Floats:
    """Return `k` starting points, far from each other and from the ends of the bounds (Su et al. 2016).

    `lowest`: the lower end of each entry; the upper end is 1. From seeded candidates, the one that is farthest from
    those before it comes next, where an end of the bounds counts as far as the mirrored point. Nothing depends on
    data.
    """
    generator = np.random.default_rng(seed)
    candidates = generator.uniform(lowest, 1.0, size=(max(_CANDIDATES, 2 * k), len(lowest)))
    free = 2 * np.minimum(candidates - lowest, 1.0 - candidates).min(axis=1)
    chosen: list[Floats] = []
    for _ in range(k):
        chosen.append(candidates[int(np.argmax(free))])
        free = np.minimum(free, np.sqrt(((candidates - chosen[-1]) ** 2).sum(axis=1)))
    return np.array(chosen)


def gathered(points: Floats, weights: Floats, k: int, seed: int) -> Floats:
    """Return `k` centres of weighted points.

    They are the best of some seeded runs of k-means++ (Arthur and Vassilvitskii 2007) and Lloyd's algorithm. Weights
    are positive, and there are at least `k` points.
    """
    generator = np.random.default_rng(seed)
    runs = [_lloyd(points, weights, _spread(points, weights, k, generator)) for _ in range(_STARTS)]
    return min(runs, key=lambda centres: float(weights @ _squared(points, centres).min(axis=1)))


def _spread(points: Floats, weights: Floats, k: int, generator: np.random.Generator) -> Floats:
    """Draw points one after the other, by weight and by squared distance from those before."""
    chance, chosen = weights, []
    for _ in range(k):
        chosen.append(int(generator.choice(len(points), p=chance / chance.sum())))
        away = weights * _squared(points, points[chosen]).min(axis=1)
        chance = away if away.any() else weights
    return points[chosen]


def _lloyd(points: Floats, weights: Floats, centres: Floats) -> Floats:
    for _ in range(_MOVES):
        belongs = (_squared(points, centres).argmin(axis=1) == np.arange(len(centres))[:, None]) * weights
        weight = belongs.sum(axis=1, keepdims=True)
        centres = np.where(weight > 0, belongs @ points / np.where(weight > 0, weight, 1.0), centres)
    return centres


def _squared(points: Floats, centres: Floats) -> Floats:
    made: Floats = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    return made
