"""Texts in Base64 within lines: what is in them can't be found, so they count as not read."""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

_WORD: Final = r"=\?[A-Za-z0-9_-]{3,20}\?[bBqQ]\?[!->@-~]+\?="
"""An encoded word of a header (RFC 2047)."""
_BLOCK: Final = r"(?:^|[:\s;,])([A-Za-z0-9+/]{16,}={0,2})\s*$"
_FEWEST: Final = 12
_LONG: Final = 30
_ARMOUR: Final = r"^-----(BEGIN|END) (?:[A-Z0-9]+ )*(?:CERTIFICATE|KEY|REQUEST|CRL|PARAMETERS)-----\s*$"
"""Around certificates and keys, which hold no text of their own. (Those of PGP name people.)"""
_CONTROLS: Final = bytes({*range(32), 127} - {9, 10, 13})


def count(lines: pl.Series) -> int:
    """How many of some lines hold a text in Base64, at their end, or an encoded word of a header."""
    words = lines.str.contains(_WORD)
    blocks = lines.str.extract(_BLOCK)
    some = (blocks.is_not_null() & ~words & ~_armoured(lines)).fill_null(False)
    return int(words.sum() or 0) + sum(map(_is_text, blocks.filter(some).to_list()))


def _armoured(lines: pl.Series) -> pl.Series:
    """Which lines are within the armour of a certificate or a key."""
    import polars as pl

    mark = lines.str.extract(_ARMOUR)
    opens, closes = (mark == "BEGIN").fill_null(False), (mark == "END").fill_null(False)
    return (opens.cast(pl.Int32) - closes.cast(pl.Int32)).cum_sum() > 0


def _is_text(packed: str) -> bool:
    """Whether what is packed is a text: random letters hardly ever are."""
    body = packed.rstrip("=")
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        data = binascii.a2b_base64(body + "=" * (-len(body) % 4))
    except binascii.Error:
        return False
    if len(data) < _FEWEST - 1 or len(data.translate(None, _CONTROLS)) != len(data):
        return False
    cut = range(4) if len(data) >= _LONG else range(1)  # a long line may begin and end within a character
    for start in cut:
        for end in cut:
            try:
                text = data[start : len(data) - end].decode()
            except UnicodeDecodeError:
                continue
            return sum(map(str.isalnum, text)) * 2 > len(text)
    return False


def reason(lines: int) -> str:
    """Why such lines count as not read."""
    what = "1 line holds" if lines == 1 else f"{lines:,} lines hold"
    return f"{what} text in Base64 or an encoded word of mail, which wasn't read; decode it"
