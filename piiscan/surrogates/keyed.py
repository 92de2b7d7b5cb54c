"""The keyed functions that surrogates stand on: a pseudorandom function of texts, and permutations of digit strings.

The only place in `piiscan.surrogates` that touches a secret.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from piiscan.keys import Subkey

if TYPE_CHECKING:
    import polars as pl

Words = NDArray[np.uint64]
"""(n, 2): 128 pseudorandom bits for each of n texts."""
Digits = NDArray[np.uint8]
"""(n, L): one digit of some radix a cell."""

SMALLEST = 10**6
"""Permutations of fewer texts than this are refused: they could be listed (NIST SP 800-38G rev. 1)."""
_ROUNDS = 10


def derived(key: Subkey, *context: str) -> Subkey:
    """The subkey for one use within the domain of `key`."""
    return Subkey(hmac.digest(key.secret, "\0".join(context).encode(), "sha256"))


def prf(key: Subkey, texts: pl.Series) -> Words:
    """128 pseudorandom bits for each text (String, no nulls)."""
    secret = key.secret
    hashes = b"".join([hashlib.blake2b(t.encode(), digest_size=16, key=secret).digest() for t in texts.to_list()])
    return np.frombuffer(hashes, dtype="<u8").reshape(-1, 2)


def permute(key: Subkey, digits: Digits, radices: int | Sequence[int] = 10, tweak: bytes | NDArray[np.uint64] = b"") -> Digits:
    """A keyed permutation of the digit strings of one length and the same radices, another for each tweak: one for all rows, or one a row.

    Raises ValueError where there are fewer than `SMALLEST` such strings.
    """
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    n, length = digits.shape
    each = [radices] * length if isinstance(radices, int) else list(radices)
    if prod(each) < SMALLEST:
        raise ValueError(f"{length} digits are too few to permute")
    left = length // 2
    size_a, size_b = prod(each[:left]), prod(each[left:])
    dtype: Any = np.uint64 if max(size_a, size_b) < 1 << 62 else object
    a, b = _number(digits[:, :left], each[:left], dtype), _number(digits[:, left:], each[left:], dtype)
    aes = Cipher(algorithms.AES(key.secret), modes.ECB()).encryptor()  # the bare block cipher; no text is encrypted in that mode
    salt = np.zeros((n, 2), dtype=np.uint64)
    salt[:] = np.frombuffer(hashlib.blake2b(tweak, digest_size=16).digest(), dtype="<u8") if isinstance(tweak, bytes) else tweak[:, None]
    for round_ in range(_ROUNDS):
        size = size_a if round_ % 2 == 0 else size_b
        block = salt ^ np.stack([(b % (1 << 61)).astype(np.uint64), np.full(n, length << 8 | round_, dtype=np.uint64)], axis=1)
        out = np.frombuffer(aes.update(block.astype("<u8").tobytes()), dtype="<u8").reshape(n, 2)
        a, b = b, (a + (out[:, 0] ^ out[:, 1]).astype(dtype) % size) % size
    return np.hstack([_digits(a, each[:left]), _digits(b, each[left:])])


def _number(digits: Digits, radices: Sequence[int], dtype: Any) -> Any:
    value = np.zeros(len(digits), dtype=dtype)
    for column, radix in zip(digits.T, radices, strict=True):
        value = value * dtype(radix) + column if dtype is np.uint64 else value * radix + column.astype(object)
    return value


def _digits(value: Any, radices: Sequence[int]) -> Digits:
    out = np.empty((len(value), len(radices)), dtype=np.uint8)
    rest = value.copy()
    for place in range(len(radices) - 1, -1, -1):
        out[:, place] = rest % radices[place]
        rest = rest // radices[place]
    return out
