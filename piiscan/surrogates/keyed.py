"""The keyed functions that surrogates stand on: a pseudorandom function of texts, and permutations of digit strings.

The only place in `piiscan.surrogates` that touches a secret.
"""

from __future__ import annotations

import hashlib
import hmac
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


def permute(key: Subkey, digits: Digits, radix: int = 10, tweak: bytes = b"") -> Digits:
    """A keyed permutation of the digit strings of one length; another for each tweak. At most 36 digits of radix 10, 26 of radix 26.

    Raises ValueError where there are fewer than `SMALLEST` such strings.
    """
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    n, length = digits.shape
    if radix**length < SMALLEST:
        raise ValueError(f"{length} digits of radix {radix} are too few to permute")
    left, right = length // 2, length - length // 2
    a, b = _number(digits[:, :left], radix), _number(digits[:, left:], radix)
    aes = Cipher(algorithms.AES(key.secret), modes.ECB()).encryptor()
    salt = np.frombuffer(hashlib.blake2b(tweak, digest_size=4, key=key.secret).digest(), dtype=np.uint32)[0]
    sizes: list[Any] = [np.uint64(radix**left), np.uint64(radix**right)]
    block = np.zeros((n, 2), dtype="<u8")
    for round_ in range(_ROUNDS):
        block[:, 0] = b
        block[:, 1] = (int(salt) << 32) | (length << 16) | (radix << 8) | round_
        out = np.frombuffer(aes.update(block.tobytes()), dtype="<u8").reshape(n, 2)
        size = sizes[round_ % 2]
        a, b = b, (a + (out[:, 0] ^ out[:, 1]) % size) % size
    return np.hstack([_digits(a, left, radix), _digits(b, right, radix)])


def _number(digits: Digits, radix: int) -> NDArray[np.uint64]:
    value = np.zeros(len(digits), dtype=np.uint64)
    for column in digits.T:
        value = value * np.uint64(radix) + column
    return value


def _digits(value: NDArray[np.uint64], length: int, radix: int) -> Digits:
    out = np.empty((len(value), length), dtype=np.uint8)
    rest = value.copy()
    for place in range(length - 1, -1, -1):
        rest, out[:, place] = rest // np.uint64(radix), rest % np.uint64(radix)
    return out
