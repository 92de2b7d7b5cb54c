"""Patterns of digits, as tables of numbers have them: most signs stand for themselves, a few for one of several."""

from __future__ import annotations

import re
from typing import Final

SETS: Final = {"#": "0123456789", "N": "23456789", "A": "2345679", "P": "02345678", "K": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
"""What a sign of a pattern stands for; any other stands for itself."""


def regex(pattern: str) -> str:
    """A regular expression of the texts of a pattern, without anchors.

    >>> regex("55501N#")
    '55501[23456789][0123456789]'
    """
    return "".join(f"[{SETS[c]}]" if c in SETS else re.escape(c) for c in pattern)
