"""Choices drawn out of 64 pseudorandom bits: exact integer arithmetic, so that every machine draws the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

Bits = NDArray[np.uint64]
Index = NDArray[np.uint32]

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letters that are read as one another."""
TAIL = 13
"""Characters that spell 64 bits."""


def lane(bits: Bits, number: int) -> Bits:
    """The `number`-th draw of 32 bits from the same 64 bits.

    SplitMix64's mixing function; the bits are already pseudorandom, so it only has to spread them.
    """
    x = bits + np.uint64((0x9E3779B97F4A7C15 * (number + 1)) & 0xFFFFFFFFFFFFFFFF)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((x ^ (x >> np.uint64(31))) >> np.uint64(32))


def below(draw: Bits, size: int | NDArray[Any]) -> Bits:
    """Numbers in [0, size), evenly: `draw` holds 32 bits, `size` at most 2³² (each off by at most size / 2³²)."""
    return np.asarray((draw * np.asarray(size, dtype=np.uint64)) >> np.uint64(32))


def weighted(draw: Bits, cumulative: NDArray[np.uint64], start: Bits | int = 0, stop: Bits | None = None) -> Index:
    """Places in a list with the probability of their weights; `cumulative` are sums of weights, first 0.

    With `start` and `stop`, the places between which each draw chooses.
    """
    low = cumulative[start]
    high = cumulative[stop] if stop is not None else cumulative[-1]
    at = low + below(draw, high - low)
    return np.searchsorted(cumulative, at, side="right").astype(np.uint32) - np.uint32(1)


def spelled(bits: Bits) -> pl.Series:
    """64 bits as 13 characters of `ALPHABET`: different bits, different text."""
    import polars as pl

    parts = [pl.Series(((bits >> np.uint64(shift)) & np.uint64(0x7FFF)).astype(np.uint32)) for shift in (49, 34, 19, 4)]
    three, one = _triples(), pl.Series(list(ALPHABET))
    columns = {str(i): three.gather(part) for i, part in enumerate(parts)}
    columns["4"] = one.gather(pl.Series((bits & np.uint64(15)).astype(np.uint32)))
    return pl.DataFrame(columns).select(pl.concat_str(pl.all())).to_series()


_TABLE: list[pl.Series] = []


def _triples() -> pl.Series:
    if not _TABLE:
        import polars as pl

        _TABLE.append(pl.Series([a + b + c for a in ALPHABET for b in ALPHABET for c in ALPHABET]))
    return _TABLE[0]


def expected_collisions(values: int, capacity: int) -> float:
    """How many of `values` distinct originals are expected to share their mask with an earlier one.

    Masks are drawn evenly from `capacity`.

    >>> round(expected_collisions(23, 365), 2), expected_collisions(1, 10)
    (0.68, 0.0)
    """
    import math

    if values < 2:
        return 0.0
    if capacity > 1e6 * values:  # the closed form would lose its digits
        return values * (values - 1) / 2 / capacity
    return values + capacity * math.expm1(values * math.log1p(-1 / capacity)) if capacity > 1 else values - 1.0
