"""How many columns characters take on a terminal, and in tables that are printed for one."""

from __future__ import annotations

import unicodedata
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern

_OTHERS: Final = lazy_pattern(
    "[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3"
    "\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\U0001f300-\U0001faff]"
)
"""Most of the characters that don't take one column."""


def width(text: str) -> int:
    """Return the columns that `text` takes on a terminal: East Asian wide characters take two, combining marks none.

    >>> width("abc"), width("大阪")
    (3, 4)
    """
    return len(text) if text.isascii() else sum(map(columns_of, text))


def columns_of(character: str) -> int:
    """Return the columns that one character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def has_others(text: str) -> bool:
    """Whether a text may have characters that don't take one column."""
    return not text.isascii() and _OTHERS.search(text) is not None
