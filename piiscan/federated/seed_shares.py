"""Shares of a seed: any `threshold` of them give it, fewer say nothing (Shamir 1979, over the field of 2⁵²¹ − 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from piiscan.core.errors import UsageError

_PRIME: Final = (1 << 521) - 1
_BYTES: Final = 66


def split(seed: bytes, holders: tuple[str, ...], threshold: int, random: Callable[[int], bytes]) -> dict[str, bytes]:
    """Return a share of a seed of 32 bytes for each holder.

    random: returns 64 secret bytes for each number from 1 below the threshold, always the same ones for a number, so
    that a seed is always split alike.
    """
    coefficients = [int.from_bytes(seed, "big")]
    coefficients += [int.from_bytes(random(i), "big") for i in range(1, threshold)]
    shares = {}
    for place, holder in enumerate(holders, 1):
        value = 0
        for coefficient in reversed(coefficients):
            value = (value * place + coefficient) % _PRIME
        shares[holder] = place.to_bytes(2, "big") + value.to_bytes(_BYTES, "big")
    return shares


def joined(shares: Mapping[str, bytes], threshold: int) -> bytes:
    """Return the seed of at least `threshold` shares. Raises `UsageError` for fewer, and for what aren't shares."""
    points = sorted((int.from_bytes(s[:2], "big"), int.from_bytes(s[2:], "big")) for s in shares.values())[:threshold]
    if len(points) < threshold or len({place for place, _ in points}) < threshold:
        raise UsageError("too few shares of a seed")
    total = 0
    for place, value in points:
        up = down = 1
        for other, _ in points:
            if other != place:
                up, down = up * other % _PRIME, down * (other - place) % _PRIME
        total = (total + value * up * pow(down, -1, _PRIME)) % _PRIME
    if total >= 1 << 256:
        raise UsageError("the shares of a seed don't agree")
    return total.to_bytes(32, "big")
