"""What mail and address books make of values to send them: Base64, and bytes in a declared character set."""

from __future__ import annotations

import binascii
import re


def from_base64(packed: bytes) -> bytes | None:
    """The bytes in Base64, white space and lacking padding apart; None for what isn't."""
    packed = re.sub(rb"\s+", b"", packed)
    try:
        return binascii.a2b_base64(packed + b"=" * (-len(packed) % 4), strict_mode=True)
    except binascii.Error:
        return None


def decoded(data: bytes, charset: str | None) -> str:
    """Text in the character set that is declared, if it fits."""
    for name in (charset, "utf-8", "cp1252"):
        try:
            if name:
                return data.decode(name)
        except (LookupError, ValueError):
            continue
    return data.decode("latin-1")
