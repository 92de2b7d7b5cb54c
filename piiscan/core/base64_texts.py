"""Decodes Base64, in either of its alphabets and with or without its padding (RFC 4648)."""

from __future__ import annotations

import binascii
from typing import Final

_STANDARD: Final = str.maketrans("-_", "+/")


def from_base64(text: str) -> bytes | None:
    r"""The bytes that a text holds; None where it holds none.

    A last letter that belongs to no byte is ignored, as where a text was cut.

    >>> from_base64("aGVsbG8"), from_base64("aGVsbG8="), from_base64("-_8=")
    (b'hello', b'hello', b'\xfb\xff')
    """
    body = text.rstrip("=").translate(_STANDARD)
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        return binascii.a2b_base64(body + "=" * (-len(body) % 4))
    except ValueError:  # also where it has letters of other scripts
        return None
