"""Sets of 64-bit fingerprints that many others are looked up among."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Fingerprints = NDArray[np.uint64]
_PENDING: Final = 1 << 20
"""Fingerprints worked on together."""


class FingerprintIndex:
    """Sets of fingerprints, each distinct and ascending.

    A bitmap of their first bits answers for most of those that are in none, since looking one up among millions waits
    for memory.
    """

    def __init__(self, ascending: Sequence[Fingerprints]) -> None:
        self._sets = [s for s in ascending if len(s)]
        bits = min(30, max(10, (16 * sum(map(len, self._sets))).bit_length()))
        self._shift = np.uint64(64 - bits)
        self._map = np.zeros(1 << (bits - 3), dtype=np.uint8)
        for found in self._sets:
            for at in range(0, len(found), _PENDING):
                first = found[at : at + _PENDING] >> self._shift
                np.bitwise_or.at(
                    self._map,
                    first >> np.uint64(3),
                    np.left_shift(np.uint8(1), (first & np.uint64(7)).astype(np.uint8)),
                )

    def has(self, found: Fingerprints) -> NDArray[np.bool_]:
        first = found >> self._shift
        inside: NDArray[np.bool_] = (
            self._map[first >> np.uint64(3)] >> (first & np.uint64(7)).astype(np.uint8)
        ) & np.uint8(1) == 1
        candidates = np.flatnonzero(inside)
        inside[candidates] = False
        for known in self._sets if len(candidates) else ():
            at = np.minimum(np.searchsorted(known, found[candidates]), len(known) - 1)
            inside[candidates] |= known[at] == found[candidates]
        return inside


def distinct_sorted(parts: Sequence[Fingerprints]) -> Fingerprints:
    """The distinct fingerprints of all parts, ascending.

    It sorts: `np.unique` uses a slower hash table.
    """
    if not parts:
        return np.zeros(0, dtype=np.uint64)
    found = np.sort(np.concatenate(parts))
    return found[np.concatenate([[True], found[1:] != found[:-1]])] if len(found) else found
