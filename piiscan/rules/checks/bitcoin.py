"""Bitcoin address: Base58Check (1…, 3…) or Bech32 and Bech32m (bc1…), made by wallets.

Base58Check ends in four bytes of a double SHA-256; Bech32 ends in six characters of a BCH code over the whole address.
https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki and bip-0350.mediawiki

>>> from piiscan.rules.checks import is_valid
>>> is_valid("bitcoin", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"), is_valid("bitcoin", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3")
(True, False)
>>> (is_valid("bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
...  is_valid("bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"))
(True, False)
"""

from __future__ import annotations

import hashlib

import numpy as np

from piiscan.rules.checks import Chars, Mask

LENGTHS = (*range(26, 36), 42, 62)
_BASE58 = {c: i for i, c in enumerate(b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")}
_BECH32 = {c: i for i, c in enumerate(b"qpzry9x8gf2tvdw0s3jn54khce6mua7l")}
_BECH32_HRP = (3, 3, 0, 2, 3)  # "bc" expanded as BIP 173 prescribes
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def compact(text: str) -> str:
    """Case carries information in Base58, so only white space around goes."""
    return text.strip()


def valid(chars: Chars) -> Mask:
    rows = (row.tobytes() for row in chars)
    one = _bech32 if chars.shape[1] in (42, 62) else _base58
    return np.fromiter((one(row) for row in rows), dtype=np.bool_, count=len(chars))


def _base58(text: bytes) -> bool:
    number = 0
    for code in text:
        if code not in _BASE58:
            return False
        number = number * 58 + _BASE58[code]
    if number >> 200 or text[:1] not in (b"1", b"3"):
        return False
    raw = number.to_bytes(25, "big")
    zeros = len(raw) - len(raw.lstrip(b"\0"))
    ones = len(text) - len(text.lstrip(b"1"))
    digest = hashlib.sha256(hashlib.sha256(raw[:21]).digest()).digest()
    return raw[0] in (0, 5) and zeros == ones and digest[:4] == raw[21:]


def _bech32(text: bytes) -> bool:
    lower = text.lower()
    if text not in (lower, text.upper()) or not lower.startswith(b"bc1"):
        return False
    data = [_BECH32.get(code, -1) for code in lower[3:]]
    if -1 in data:
        return False
    rest = 1
    for value in (*_BECH32_HRP, *data):
        top = rest >> 25
        rest = (rest & 0x1FFFFFF) << 5 ^ value
        for i, generator in enumerate(_GENERATOR):
            if top >> i & 1:
                rest ^= generator
    return rest == (1 if data[0] == 0 else 0x2BC830A3)
