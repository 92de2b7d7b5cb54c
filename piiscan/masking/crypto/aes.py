"""AES on many blocks at once (FIPS 197), by `cryptography`. The only door to a block cipher.

A block is a row of two uint64 in memory order: no byte is swapped, so xor and AES mean what the standards mean by them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
BLOCK = 16


class Aes:
    """AES under one key of 16, 24 or 32 bytes. For one thread."""

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import AES
        from cryptography.hazmat.primitives.ciphers.modes import ECB

        # ECB is the bare block cipher, which is what CMAC, CTR and FF1 are built of; no text is encrypted in that mode.
        self._encryptor = Cipher(AES(key), ECB()).encryptor()

    def __call__(self, blocks: Words) -> Words:
        """The encrypted (n, 2) blocks."""
        flat = np.ascontiguousarray(blocks).view(np.uint8).reshape(-1)
        out = np.empty(len(flat) + BLOCK, dtype=np.uint8)
        self._encryptor.update_into(flat.data, out.data)
        return out[: len(flat)].view(np.uint64).reshape(-1, 2)

    def into(self, blocks: Words, out: NDArray[np.uint8]) -> Words:
        """The same into `out`, of 16 (n + 1) bytes: rounds over one chunk need no new memory."""
        size = blocks.size * 8
        self._encryptor.update_into(blocks.view(np.uint8).reshape(-1).data, out.data)
        return out[:size].view(np.uint64).reshape(-1, 2)

    def one(self, block: bytes) -> bytes:
        """One encrypted block."""
        return self(words(block)).tobytes()


def words(text: bytes) -> Words:
    """Bytes, a multiple of 16, as blocks."""
    return np.frombuffer(text, dtype=np.uint64).reshape(-1, 2)


def double(block: bytes) -> bytes:
    """Times x in GF(2¹²⁸), as CMAC and SIV define it (SP 800-38B, 6.1; RFC 5297, 2.3)."""
    number = int.from_bytes(block, "big") << 1
    if number >> 128:
        number = number & (1 << 128) - 1 ^ 0x87
    return number.to_bytes(BLOCK, "big")


def big_endian(values: NDArray[Any]) -> Words:
    """uint64 as their big-endian bytes in memory, or back."""
    import sys

    words = values.astype(np.uint64, copy=False)
    return words.byteswap() if sys.byteorder == "little" else words
