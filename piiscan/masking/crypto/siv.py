"""AES-SIV (RFC 5297) of many plaintexts of equal length: deterministic authenticated encryption."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.crypto import cmac
from piiscan.masking.crypto.aes import BLOCK, Aes, Words, big_endian, double, words
from piiscan.masking.crypto.text_bytes import Bytes

_CTR = words(bytes.fromhex("ffffffffffffffff7fffffff7fffffff"))


class Siv:
    """AES-SIV under a MAC key, an encryption key and associated data, one or more strings."""

    def __init__(self, mac_key: bytes, encryption_key: bytes, *associated: bytes) -> None:
        self._mac_key = mac_key
        self._encryption_key = encryption_key
        bound = cmac.of_bytes(bytes(BLOCK), mac_key)
        for text in associated:
            bound = _xor(double(bound), cmac.of_bytes(text, mac_key))
        self._bound = bound

    def seal(self, plain: Bytes) -> Bytes:
        """Encrypt an (n, L) matrix; returns (n, 16 + L): the synthetic IV, which authenticates, and the ciphertext."""
        iv = self._synthetic(plain)
        return np.concatenate([_bytes(iv), plain ^ self._stream(iv, plain.shape[1])], axis=1)

    def open(self, sealed: Bytes) -> tuple[Bytes, NDArray[np.bool_]]:
        """The (n, L) plaintexts, and which of them were sealed under these keys and data; the others are zeros."""
        iv = np.ascontiguousarray(sealed[:, :BLOCK]).view(np.uint64).reshape(-1, 2)
        plain = sealed[:, BLOCK:] ^ self._stream(iv, sealed.shape[1] - BLOCK)
        good = np.asarray((self._synthetic(plain) == iv).all(axis=1))
        plain[~good] = 0
        return plain, good

    def _synthetic(self, plain: Bytes) -> Words:
        """S2V (section 2.4)."""
        length = plain.shape[1]
        if length >= BLOCK:
            mixed = plain.copy()
            mixed[:, -BLOCK:] ^= np.frombuffer(self._bound, dtype=np.uint8)
        else:
            mixed = np.zeros((len(plain), BLOCK), dtype=np.uint8)
            mixed[:, :length] = plain
            mixed[:, length] = 0x80
            mixed ^= np.frombuffer(double(self._bound), dtype=np.uint8)
        return cmac.of_rows(mixed, self._mac_key)

    def _stream(self, iv: Words, length: int) -> Bytes:
        """The key stream (section 2.5). Two bits of the counter are cleared, so adding to it never carries."""
        aes = Aes(self._encryption_key)
        start = iv & _CTR
        parts = []
        for position in range(-(-length // BLOCK)):
            counter = start.copy()
            counter[:, 1] = big_endian(big_endian(counter[:, 1]) + np.uint64(position))
            parts.append(_bytes(aes(counter)))
        return np.concatenate(parts, axis=1)[:, :length] if parts else np.empty((len(iv), 0), dtype=np.uint8)


def _bytes(blocks: Words) -> Bytes:
    return blocks.view(np.uint8).reshape(-1, BLOCK)


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))
