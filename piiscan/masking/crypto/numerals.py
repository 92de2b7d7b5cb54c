"""Permutations of numeral strings whose places have radices of their own, such as digits among letters.

FF1 knows one radix. Strings of digits go through it as they are. All others are ranked, FF1 permutes the ranks as bits,
and a rank beyond the last is permuted again until it is within (cycle walking: Black and Rogaway, *Ciphers with
arbitrary finite domains*, CT-RSA 2002).
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.crypto.aes import Words
from piiscan.masking.crypto.ff1 import Ff1, Halves
from piiscan.masking.crypto.text_bytes import Bytes

LIMB = 56
_MASK = np.uint64((1 << LIMB) - 1)
_SHIFT = np.uint64(LIMB)


def permuted(numerals: Bytes, radices: Bytes, key: bytes, tweak: bytes | Words = b"", inverse: bool = False) -> Bytes:
    """Other (n, k) numerals of the same radices, one to one for each tweak; `inverse` leads back.

    `radices` is (n, k), and all rows of it have the same product, at least 10⁶. The tweak is that of `Ff1`.
    """
    n, k = numerals.shape
    if n == 0:
        return numerals
    if bool((radices == 10).all()):
        cipher = Ff1(key, 10, k)
        return _digits(_run(cipher, _decimal_halves(numerals, cipher), tweak, inverse), cipher)
    count = prod(radices[0].tolist())
    bits = max((count - 1).bit_length(), 20)
    cipher = Ff1(key, 2, bits)
    ranks = _rank(numerals, radices, bits)
    halves = _walk(cipher, _split(ranks, cipher), count, tweak, inverse)
    return _unrank(_join(halves, cipher), radices)


def permuted_below(values: Words, count: int, key: bytes, tweak: bytes = b"", inverse: bool = False) -> Words:
    """Other (n,) numbers below `count` (at most 2⁶⁴, at least 10⁶), one to one; `inverse` leads back."""
    bits = max((count - 1).bit_length(), 20)
    cipher = Ff1(key, 2, bits)
    low = np.uint64(cipher.right)
    halves = (values >> low, values & np.uint64((1 << cipher.right) - 1))
    left, right = _walk(cipher, halves, count, tweak, inverse)
    return np.asarray(left << low | right)


def _run(cipher: Ff1, halves: Halves, tweak: bytes | Words, inverse: bool) -> Halves:
    return cipher.decrypt(halves, tweak) if inverse else cipher.encrypt(halves, tweak)


def _walk(cipher: Ff1, halves: Halves, count: int, tweak: bytes | Words, inverse: bool) -> Halves:
    """FF1 until the string is below `count` as a number."""
    left, right = _run(cipher, halves, tweak, inverse)
    if count == 1 << cipher.length:
        return left, right
    edge, rest = divmod(count, 1 << cipher.right)
    todo = np.arange(len(left))
    found = left, right
    while len(todo := todo[np.asarray((found[0] > edge) | ((found[0] == edge) & (found[1] >= rest)), dtype=np.bool_)]):
        found = _run(cipher, (left[todo], right[todo]), tweak if isinstance(tweak, bytes) else tweak[todo], inverse)
        left[todo], right[todo] = found
    return left, right


def _decimal_halves(numerals: Bytes, cipher: Ff1) -> Halves:
    dtype: Any = np.uint64 if cipher.small else object
    return _number(numerals[:, : cipher.left], dtype), _number(numerals[:, cipher.left :], dtype)


def _number(numerals: Bytes, dtype: Any) -> NDArray[Any]:
    total = np.zeros(len(numerals), dtype=dtype)
    for column in numerals.T:
        total *= 10
        total += column
    return total


def _digits(halves: Halves, cipher: Ff1) -> Bytes:
    out = np.empty((len(halves[0]), cipher.length), dtype=np.uint8, order="F")
    for half, start, stop in ((halves[0], 0, cipher.left), (halves[1], cipher.left, cipher.length)):
        rest = half
        for position in range(stop - 1, start, -1):
            quotient = rest // 10
            out[:, position] = rest - quotient * 10
            rest = quotient
        if stop > start:
            out[:, start] = rest
    return out


def _rank(numerals: Bytes, radices: Bytes, bits: int) -> Halves:
    """High and low limb of each rank; the high one holds what is above 56 bits."""
    dtype: Any = np.uint64 if bits <= 2 * LIMB else object
    high, low = np.zeros(len(numerals), dtype=dtype), np.zeros(len(numerals), dtype=dtype)
    for column, radix in zip(numerals.T, radices.T, strict=True):
        factor = radix.astype(dtype)
        low *= factor
        low += column.astype(dtype)
        high *= factor
        high += low >> _shift(dtype)
        low &= _mask(dtype)
    return high, low


def _unrank(ranks: Halves, radices: Bytes) -> Bytes:
    high, low = ranks
    dtype: Any = high.dtype
    out = np.empty(radices.shape, dtype=np.uint8, order="F")
    for position in range(radices.shape[1] - 1, -1, -1):
        radix = radices[:, position].astype(dtype)
        quotient = high // radix
        low = (high - quotient * radix) << _shift(dtype) | low
        high = quotient
        quotient = low // radix
        out[:, position] = (low - quotient * radix).astype(np.uint8)
        low = quotient
    return out


def _split(ranks: Halves, cipher: Ff1) -> Halves:
    """A rank's limbs as the halves of its bits."""
    high, low = ranks
    if high.dtype == object:
        whole = high << LIMB | low
        return whole >> cipher.right, whole & ((1 << cipher.right) - 1)
    right = np.uint64(cipher.right)
    mask = np.uint64((1 << cipher.right) - 1)
    return np.asarray(high << np.uint64(LIMB - cipher.right) | low >> right), np.asarray(low & mask)


def _join(halves: Halves, cipher: Ff1) -> Halves:
    left, right = halves
    if left.dtype == object:
        whole = left << cipher.right | right
        return whole >> LIMB, whole & int(_MASK)
    return np.asarray(left >> np.uint64(LIMB - cipher.right)), np.asarray(
        (left << np.uint64(cipher.right) | right) & _MASK
    )


def _shift(dtype: Any) -> Any:
    return _SHIFT if dtype == np.uint64 else LIMB


def _mask(dtype: Any) -> Any:
    return _MASK if dtype == np.uint64 else int(_MASK)
