"""How much one column reveals about another: a column that is kept must not reveal one that was generalised.

The measure is the uncertainty coefficient U(X|Y) = I(X; Y) / H(X), the share of the information in X that Y reveals
(Theil, Statistical Decomposition Analysis, 1972), less the share expected by chance: with few rows and many values,
any column seems to explain any other. Chance is the mean over permutations of X's rows, under a fixed seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.classes import grouped
from piiscan.anonymity.histogram import Ints

TOGETHER: Final = 3
"""At most this many columns are examined together for what they reveal about another."""
_SHUFFLED: Final = 200_000
_MOST_SHUFFLES: Final = 20
"""Permutations of small tables: their rows together are about `_SHUFFLED`, and there are so many at most."""
_BY_CHANCE: Final = 0.5
"""If chance explains more than this share of a column, a dependence must exceed chance clearly:"""
_SURE: Final = 6.0
"""by so many of its standard deviations."""
_GAIN: Final = 0.02
_NOTHING: Final = 1e-9
_SEED: Final = 0


class Coarsened(NamedTuple):
    """A column's rows at each level of its hierarchy except the last, which carries no information.

    Each level is (rows,) numbers from 0, and their upper bound.
    """

    levels: tuple[tuple[Ints, int], ...]


class Dependence(NamedTuple):
    """How much one column reveals about others.

    `share`: from 0 (no more than by chance) to 1 (everything). `columns`: the indices of the columns that explain it,
    or that it explains.
    """

    share: float
    columns: tuple[int, ...]


def explains(column: tuple[Ints, int], others: Mapping[int, Coarsened]) -> Dependence:
    """Return the column, at any level, that `column` reveals most about.

    Its values would undo what generalisation hides there.
    """
    found = (
        (uncertainty_coefficient(level, column), index) for index, other in others.items() for level in other.levels
    )
    share, index = max(found, default=(0.0, -1), key=lambda f: (f[0], -f[1]))
    return Dependence(share, () if share == 0 else (index,))


def explained_by(column: tuple[Ints, int], others: Mapping[int, Coarsened]) -> Dependence:
    """Measure how much some columns together reveal about another.

    The column that reveals most comes first, at the level where it does, then those that add most to it, at most
    `TOGETHER` of them. A dependence that shows only in combination, with no column revealing anything alone, isn't
    detected.
    """
    best, chosen, known = 0.0, list[int](), list[tuple[Ints, int]]()
    while len(chosen) < min(TOGETHER, len(others)):
        tried = [
            (uncertainty_coefficient(column, _joined([*known, level])), index, level)
            for index, other in others.items()
            if index not in chosen
            for level in other.levels
        ]
        share, index, level = max(tried, default=(0.0, -1, (np.zeros(0, np.int64), 0)), key=lambda t: (t[0], -t[1]))
        if share <= best + _GAIN:
            break
        best, chosen, known = share, [*chosen, index], [*known, level]
    return Dependence(best, tuple(sorted(chosen)))


def uncertainty_coefficient(x: tuple[Ints, int], y: tuple[Ints, int]) -> float:
    """U(X|Y) less the share expected by chance, in 0..1.

    x, y: (rows,) numbers from 0, and their upper bound. The result is 0 if there are too few rows to measure it.
    """
    rows = len(x[0])
    entropy = _entropy(x[0], x[1])
    if entropy < _NOTHING:
        return 0.0
    apart = _entropy(y[0], y[1])

    def shared(codes: Ints) -> float:
        return entropy + apart - _entropy(*grouped([codes, y[0]], [x[1], y[1]]))

    rng = np.random.default_rng(_SEED)
    by_chance = [shared(rng.permutation(x[0])) for _ in range(max(1, min(_MOST_SHUFFLES, _SHUFFLED // rows)))]
    chance = float(np.mean(by_chance))
    if chance > _BY_CHANCE * entropy:
        by_chance += [shared(rng.permutation(x[0])) for _ in range(_MOST_SHUFFLES - len(by_chance))]
        chance = float(np.mean(by_chance))
        if shared(x[0]) - chance <= max(_SURE * float(np.std(by_chance, ddof=1)), _NOTHING):
            return 0.0
    return float(min(1.0, max(0.0, (shared(x[0]) - chance) / (entropy - chance))))


def _joined(columns: Sequence[tuple[Ints, int]]) -> tuple[Ints, int]:
    return grouped([codes for codes, _ in columns], [size for _, size in columns])


def _entropy(codes: Ints, size: int) -> float:
    counts: npt.NDArray[np.float64] = np.bincount(codes, minlength=size).astype(np.float64)
    counts = counts[counts > 0]
    total = counts.sum()
    return float(np.log(total) - (counts * np.log(counts)).sum() / total) if total else 0.0
