"""The type of a column of text, read from its sample."""

from __future__ import annotations

import re
from collections.abc import Iterable

from piiscan.core.types import DType

_PATTERNS: tuple[tuple[DType, re.Pattern[str]], ...] = (
    ("boolean", re.compile(r"true|false|yes|no", re.IGNORECASE)),
    ("integer", re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")),
    ("float", re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf)", re.IGNORECASE)),
    ("date", re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")),
    (
        "datetime",
        re.compile(
            r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)? "
            r"?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
        ),
    ),
)
_PADDED = re.compile(r"[+-]?0[0-9]")
NULLS = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "?", "\\n"})
_LONGEST_NULL = max(map(len, NULLS))


def infer(texts: Iterable[str]) -> DType:
    """The narrowest type that every text is written in; null words don't count. Numbers with leading zeros are
    strings."""
    kept = [t for t in texts if len(t) > _LONGEST_NULL or t.casefold() not in NULLS]
    if not kept:
        return "string"
    for dtype, pattern in _PATTERNS:
        if all(map(pattern.fullmatch, kept)):
            if dtype == "float" and any(map(_PADDED.match, kept)):
                return "string"
            return dtype
    return "string"
