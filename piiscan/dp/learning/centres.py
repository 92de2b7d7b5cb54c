"""Where clusters begin, and which of many noisy centres belong together. Nothing here looks at a row, so nothing
costs anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats

_CANDIDATES: Final = 2000
_STARTS: Final = 10
_MOVES: Final = 25


def start(lowest: Floats, k: int, seed: int) -> Floats:
    """`k` places to begin at, far from each other and from the ends of the bounds, where spheres around them have room
    (Su et al. 2016).

    `lowest`: where each entry begins, up to 1. Of seeded candidates the one comes next that is the farthest from those
    before it, an end of the bounds being as far as the point beyond it. Nothing of it depends on data.
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
    """`k` centres of weighted points: the best of some seeded runs of k-means++ (Arthur and Vassilvitskii 2007) and
    Lloyd's algorithm.

    Weights are positive, and there are `k` points at least.
    """
    generator = np.random.default_rng(seed)
    runs = [_lloyd(points, weights, _spread(points, weights, k, generator)) for _ in range(_STARTS)]
    return min(runs, key=lambda centres: float(weights @ _squared(points, centres).min(axis=1)))


def _spread(points: Floats, weights: Floats, k: int, generator: np.random.Generator) -> Floats:
    """Points drawn one after the other, by weight and by squared distance from those before."""
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
