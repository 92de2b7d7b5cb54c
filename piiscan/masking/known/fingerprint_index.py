"""Sets of 64-bit fingerprints that many others are looked up among."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

Fingerprints = NDArray[np.uint64]
_PENDING: Final = 1 << 20
"""Fingerprints worked on together."""


_EACH: Final = 5
"""So many bits of the bitmap, as a power of two, have one place in the table of beginnings."""


_WAITING: Final = 8
"""New fingerprints wait until they are one in so many of all others."""


class FingerprintIndex:
    """Sets of fingerprints, each distinct and ascending.

    A bitmap of their first bits answers for most of those that are in none, since looking one up among millions waits
    for memory. Of each set a table says where those with the same first bits begin, at one or two of them an entry.
    """

    def __init__(self, ascending: Sequence[Fingerprints]) -> None:
        self._sets = [s for s in ascending if len(s)]
        bits = min(30, max(10, (16 * sum(map(len, self._sets))).bit_length()))
        self._shift = np.uint64(64 - bits)
        self._map = np.zeros(1 << (bits - 3), dtype=np.uint8)
        for found in self._sets:
            for at in range(0, len(found), _PENDING):
                first = (found[at : at + _PENDING] >> self._shift).view(np.int64)
                place, bit = first >> 3, np.left_shift(np.uint8(1), (first & 7).astype(np.uint8))
                begin = np.flatnonzero(np.concatenate([[True], place[1:] != place[:-1]]))
                self._map[place[begin]] |= np.bitwise_or.reduceat(bit, begin)
        self._begins = [_begins(found, bits - _EACH) for found in self._sets]

    def has(self, found: Fingerprints) -> NDArray[np.bool_]:
        first = (found >> self._shift).view(np.int64)  # numpy's own type of places; others are copied into it
        bits = self._map.take(first >> 3)  # in less time than brackets take
        bits >>= (first & 7).astype(np.uint8)
        bits &= np.uint8(1)
        inside = bits.view(np.bool_)
        candidates = np.flatnonzero(inside)
        inside[candidates] = False
        if len(candidates):
            some, begin = found.take(candidates), first.take(candidates) >> _EACH
            for known, begins in zip(self._sets, self._begins, strict=True):
                inside[candidates[_known_among(known, begins.take(begin), some)]] = True
        return inside


class GrowingSet:
    """A set of fingerprints that grows by few at a time, kept in order; new ones wait apart until they are many."""

    def __init__(self) -> None:
        self._most = self._new = np.zeros(0, dtype=np.uint64)

    def add(self, ascending: Fingerprints) -> NDArray[np.bool_]:
        """Add fingerprints, distinct and ascending. Which of them are new."""
        at = np.searchsorted(self._new, ascending)
        is_new = ~_found_at(self._most, np.searchsorted(self._most, ascending), ascending)
        is_new &= ~_found_at(self._new, at, ascending)
        self._new = np.insert(self._new, at[is_new], ascending[is_new])
        if _WAITING * len(self._new) > len(self._most):
            self._most = np.insert(self._most, np.searchsorted(self._most, self._new), self._new)
            self._new = self._new[:0]
        return is_new


def _found_at(known: Fingerprints, at: NDArray[np.int64], found: Fingerprints) -> NDArray[np.bool_]:
    if not len(known):
        return np.zeros(len(found), dtype=np.bool_)
    same: NDArray[np.bool_] = known[np.minimum(at, len(known) - 1)] == found
    return same


def _begins(ascending: Fingerprints, bits: int) -> NDArray[np.int32]:
    """Where fingerprints begin with the first so many bits, for each of these."""
    out = np.zeros((1 << bits) + 1, dtype=np.int32)
    for at in range(0, len(ascending), _PENDING):
        first = (ascending[at : at + _PENDING] >> np.uint64(64 - bits)).view(np.int64)
        last = np.flatnonzero(np.concatenate([first[1:] != first[:-1], [True]]))
        out[first[last] + 1] = at + last + 1
    return np.maximum.accumulate(out, out=out)[:-1]


def _known_among(known: Fingerprints, at: NDArray[np.int32], found: Fingerprints) -> NDArray[np.int64]:
    """Which of some fingerprints are known; `at`: where those that begin like them begin."""
    left, last = np.arange(len(found)), len(known) - 1
    at = np.minimum(at, last)
    out = []
    while len(left):
        here = known.take(at)
        out.append(left.compress(here == found))
        on = np.flatnonzero((here < found) & (at < last))
        left, at, found = left.take(on), at.take(on) + np.int32(1), found.take(on)
    return np.concatenate(out)


def ascending(found: Fingerprints) -> Fingerprints:
    """Fingerprints in their order; polars sorts them in a third of numpy's time."""
    return pl.Series(found).sort(multithreaded=False).to_numpy()


def order_of(found: Fingerprints) -> NDArray[np.int64]:
    """Where each fingerprint in their order stands; equal ones keep theirs.

    Their first bits are sorted with their places behind them, which takes a third of the time of `np.argsort`: the
    first bits alone distinguish any that differ, but for a few in a million runs.
    """
    bits = len(found).bit_length()
    places = np.uint64((1 << bits) - 1)
    both = ascending((found & ~places) | np.arange(len(found), dtype=np.uint64))
    order = (both & places).view(np.int64)
    there = found[order]
    return np.argsort(found, kind="stable") if (there[1:] < there[:-1]).any() else order


def distinct_sorted(parts: Sequence[Fingerprints]) -> Fingerprints:
    """The distinct fingerprints of all parts, ascending.

    It sorts: `np.unique` uses a slower hash table.
    """
    if not parts:
        return np.zeros(0, dtype=np.uint64)
    found = ascending(np.concatenate(parts))
    return found[np.concatenate([[True], found[1:] != found[:-1]])] if len(found) else found
