"""Digits, spaces and hyphens as rules know them, whatever script or typeface they are in.

`٠٣٠`, `０３０`, no-break spaces and hyphens, `＠`, and a dash between two digits are read as `030`, ` `, `-`, `@` and
`-`. A text keeps its length, so that places in it are those in the text as it is written.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern

MAY: Final = (
    r"[\p{Nd}--0-9]|[\x{FF01}-\x{FF5E}]|[\x{A0}\x{1680}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}]"
    r"|[\x{2010}-\x{2015}\x{2212}]"
)
"""What texts have where `plain` may change them, for polars."""
_OTHER: Final = lazy_pattern(
    "(?![0-9])\\d|[\uff21-\uff3a\uff41-\uff5a\uff20\uff0b\uff0d\uff0e\uff3f]"
    "|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|[\u2010\u2011]"
    r"|(?<=[\d)])[\u2012-\u2015\u2212](?=[\d(])"
)
_MAY_BE: Final = lazy_pattern(
    "[\u00a0\u0660-\u0669\u06f0-\u06f9\u07c0-\u07c9\u0966-\u1c59\u2000-\u205f\u2212\u3000\ua620-\uabf9\uff01-\uff5e"
    "\U00010000-\U0010ffff]"
)
"""A wider class, which a text is searched for in a fraction of the time."""
_WIDE: Final = range(0xFF01, 0xFF5F)
_FROM_WIDE: Final = 0xFF01 - ord("!")


def plain(text: str) -> str:
    """A text of the same length in which each such character is the one that rules know.

    >>> plain("+٤٩ ３０\u00a0123–456"), plain("1990 – 2000")
    ('+49 30 123-456', '1990 – 2000')
    """
    return _OTHER.sub(_one, text) if not text.isascii() and _MAY_BE.search(text) else text


def _one(found: re.Match[str]) -> str:
    char = found[0]
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if char.isspace():
        return " "
    return chr(ord(char) - _FROM_WIDE) if ord(char) in _WIDE else "-"
