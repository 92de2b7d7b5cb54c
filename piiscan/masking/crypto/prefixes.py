"""Prefix-preserving permutation of addresses: two of them share as many leading bits before as after.

Xu, Fan, Ammar and Moon, *Prefix-preserving IP address anonymization* (ICNP 2002): bit i is flipped by a pseudo-random
function of the i bits
before it: the first bit of an AES of those bits, filled up to a block. Their Crypto-PAn fills with a secret pad, so
that a prefix and the next longer one are the same block wherever the address has the pad's bit, and half of all bits
are flipped as the bit before. Here a bit 1 and then bits 0 fill the block, and every prefix has its own.

Any function of the prefix preserves prefixes (their theorem 1), so it is 0 on the way to the ranges that are to keep
their meaning: those stay within themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.crypto.aes import Aes, Words, big_endian

Numbers = tuple[Words, Words]
"""(n,) uint64 each: the first and the last 64 bits. An IPv4 address is the first 32 bits of the former."""


class Range(NamedTuple):
    """The addresses that begin with the first `length` bits of `high`; at most 64."""

    high: int
    length: int


class Prefixes:
    """The permutation under an AES key, of addresses of `width` bits (32 or 128). For one thread.

    `ranges` are those that stay within themselves: at most 16 bits long for a width of 32, else at most 64. With `pad`,
    16 bytes, it is Crypto-PAn bit for bit.
    """

    def __init__(self, key: bytes, width: int, ranges: tuple[Range, ...] = (), pad: bytes | None = None) -> None:
        self._aes = Aes(key)
        self._pad = None if pad is None else int.from_bytes(self._aes.one(pad), "big")
        self._width = width
        self._ranges = ranges

    def permuted(self, addresses: Numbers, inverse: bool = False) -> Numbers:
        """The addresses that these become, or, with `inverse`, came from."""
        high, low = addresses
        # Addresses share their beginnings, so those are worked out once each.
        top, back = np.unique(high >> np.uint64(48), return_inverse=True)
        tops, _ = self._levels((top << np.uint64(48), np.zeros_like(top)), 0, 16, inverse)
        if self._width == 32:
            return self._finished(high, low, tops[back], 16, 32, inverse)
        firsts, back_first = np.unique(high, return_inverse=True)
        begun = tops[np.searchsorted(top, firsts >> np.uint64(48))]
        firsts, _ = self._finished(firsts, np.zeros_like(firsts), begun, 16, 64, inverse)
        return self._finished(high, low, firsts[back_first], 64, 128, inverse)

    def _finished(self, high: Words, low: Words, begun: Words, start: int, stop: int, inverse: bool) -> Numbers:
        """The addresses of which the first `start` bits are known already: those of `begun`."""
        known = np.uint64((1 << 64) - (1 << (64 - start)))
        merged = begun & known | high & ~known
        done, last = self._levels((merged if inverse else high, low), start, stop, inverse)
        return begun & known | done & ~known, last

    def _levels(self, addresses: Numbers, start: int, stop: int, inverse: bool) -> Numbers:
        """Flip the bits from `start` up to `stop`.

        On the way back the bits before `start` are those of the original.
        """
        high, low = (half.copy() for half in addresses)
        plain_high, plain_low = (high, low) if inverse else addresses
        held = self._held(addresses[0])
        blocks = np.empty((len(high), 2), dtype=np.uint64)
        for level in range(start, stop):
            (first, last), (fill_first, fill_last) = self._filling(level)
            blocks[:, 0] = big_endian(plain_high & first | fill_first)
            blocks[:, 1] = big_endian(plain_low & last | fill_last)
            flips = big_endian(self._aes(blocks)[:, 0]) >> np.uint64(63)
            if level < 64:
                flips = np.where(level < held, np.uint64(0), flips)
                high ^= flips << np.uint64(63 - level)
            else:
                low ^= flips << np.uint64(127 - level)
        return high, low

    def _filling(self, bits: int) -> tuple[tuple[np.uint64, np.uint64], tuple[np.uint64, np.uint64]]:
        """A mask of so many leading bits, and what a prefix of that length is filled up with."""
        rest = (1 << (128 - bits)) - 1
        return _halves((1 << 128) - 1 - rest), _halves((rest + 1) >> 1 if self._pad is None else self._pad & rest)

    def _held(self, high: Words) -> NDArray[np.int64]:
        """Count the leading bits that are never flipped.

        Those are the bits on the way to one of the ranges, and the bit where the paths diverge.
        """
        held = np.zeros(len(high), dtype=np.int64)
        for fixed in self._ranges:
            differing = high ^ np.uint64(fixed.high)
            upper = np.frexp((differing >> np.uint64(32)).astype(np.float64))[1]
            lower = np.frexp((differing & np.uint64(0xFFFFFFFF)).astype(np.float64))[1]
            shared = np.where(upper > 0, 32 - upper, 64 - lower)
            held = np.maximum(held, np.minimum(shared + 1, fixed.length))
        return held


def _halves(block: int) -> tuple[np.uint64, np.uint64]:
    return np.uint64(block >> 64), np.uint64(block & ((1 << 64) - 1))
