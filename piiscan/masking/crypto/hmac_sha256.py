"""HMAC-SHA256 (FIPS 198-1) of many texts under one key."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

_BLOCK = 64
"""Bytes of a block of SHA-256, to which HMAC fills up a key."""


def digests(secret: bytes, texts: Iterable[str]) -> list[bytes]:
    """The 32 bytes of each text, by its UTF-8.

    The two blocks of the key are hashed once, which takes half the time of `hmac.digest`. Raises ValueError for a key
    of more than 64 bytes.
    """
    if len(secret) > _BLOCK:
        raise ValueError(f"a key of {len(secret)} bytes is longer than a block of SHA-256")
    filled = secret.ljust(_BLOCK, b"\0")
    inner, outer = (sha256(bytes(byte ^ pad for byte in filled)) for pad in (0x36, 0x5C))
    out = []
    for text in texts:
        first = inner.copy()
        first.update(text.encode())
        second = outer.copy()
        second.update(first.digest())
        out.append(second.digest())
    return out
