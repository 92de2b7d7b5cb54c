"""How much the frequency of equal masks reveals: the share of cells that an attacker guesses from ranks alone.

The attacker takes the commonest mask for the commonest value, the second for the second, and so on, and knows the ranks
from the population or from another release of as many rows. With X_j, how often value j occurs in such data, taken as
normal with mean and variance n_j, its count in the column, value i keeps its rank when as many others lie above it as
do here. Values of one count c, m of them, have ranks a to a + m - 1 in any order, so of them

P(a <= number of others above X_i <= a + m - 1)

are expected to be guessed, and the share is the sum of c times that, over all counts c, divided by the cells. Given X_i
the number of others above it is a sum of independent trials, whose distribution is taken as normal too; X_i is averaged
over `_NODES` quantiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_NODES: Final = 32
_ANCHOR: Final = 12
"""The commonest values of a sample, of which so many have uncertain ranks."""
_RANKS: Final = 1_000_000
"""Lower ranks are never guessed."""
_REACH: Final = 7.0
"""Standard deviations beyond which a value doesn't come."""


def share_guessed(counts: Sequence[int], distinct: int, cells: int) -> float:
    """The expected share of a column's `cells` that such an attacker guesses.

    `counts`: how often each of its values occurs, or each of a sample of the `distinct` ones, whose ranks are then
    interpolated.
    """
    import numpy as np

    known = np.sort(np.array([n for n in counts if n > 0], dtype=np.float64))[::-1]
    if not len(known):
        return 0.0
    every = known if distinct <= len(known) else _continued(known, distinct, cells)
    count, values = np.unique(np.round(every), return_counts=True)
    count, values = count[::-1], values[::-1].astype(np.float64)
    first = np.cumsum(values) - values
    z = _quantiles(_NODES)
    right = 0.0
    for c, m, a in zip(count, values, first, strict=True):
        x = np.maximum(c + z * np.sqrt(c), 0.5)
        near = np.abs(count - c) <= _REACH * (np.sqrt(count) + np.sqrt(c)) + 1
        others = np.where(count[near] == c, m - 1, values[near])
        above = _normal((count[near][:, None] - x) / np.sqrt(count[near])[:, None])
        mean = values[~near & (count > c)].sum() + others @ above
        spread = np.sqrt(others @ (above * (1 - above)) + 1e-12)
        below = _normal((a + m - 0.5 - mean) / spread) if a + m < len(every) else 1.0
        inside = below - (_normal((a - 0.5 - mean) / spread) if a else 0.0) * np.ones(_NODES)
        right += float(c * inside.mean())
    return min(1.0, right / max(cells, float(count @ values)))


def _continued(known: npt.NDArray[np.float64], distinct: int, cells: int) -> npt.NDArray[np.float64]:
    """The counts of so many values by those of a sample of them, the commonest first.

    Those above the sample's `_ANCHOR`-th fall by the power of the rank that makes all together so many `cells`.
    """
    import numpy as np

    place = np.log((np.arange(len(known)) + 0.5) * (distinct / len(known)))
    rank = np.log(np.arange(min(distinct, _RANKS)) + 0.5)
    anchor = min(_ANCHOR, len(known) - 1)
    out: npt.NDArray[np.float64] = np.exp(np.interp(rank, place, np.log(known)))
    above = slice(np.searchsorted(rank, place[anchor]))
    left = cells - distinct / len(known) * float(known[anchor:].sum())
    low, high = 0.0, 5.0
    for _ in range(40):
        power = (low + high) / 2
        out[above] = known[anchor] * np.exp(power * (place[anchor] - rank[above]))
        low, high = (power, high) if float(out[above].sum()) < left else (low, power)
    return out


def _quantiles(n: int) -> npt.NDArray[np.float64]:
    """The standard normal distribution as the middles of n equal parts."""
    from statistics import NormalDist

    import numpy as np

    out: npt.NDArray[np.float64] = np.array([NormalDist().inv_cdf((i + 0.5) / n) for i in range(n)])
    return out


def _normal(x: Any) -> Any:
    """The distribution function of the standard normal, to 7.5e-8 (Abramowitz and Stegun 26.2.17)."""
    import numpy as np

    t = 1 / (1 + 0.2316419 * np.abs(x))
    tail = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = tail * np.exp(-x * x / 2) / 2.5066282746310002
    return np.where(x > 0, 1 - tail, tail)
