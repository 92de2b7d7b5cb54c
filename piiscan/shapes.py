"""Values shown without showing them: digits as 9, letters as a and A, long words cut, the rest as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 32
_LETTERS = re.compile(r"(?<![Aa])([Aa]{3})[Aa]+")


def shape(text: str) -> str:
    """The shape of a value; at most LONGEST characters, words cut to three letters.

    >>> shape("078-05-1120"), shape("Ada.Lovelace@example.org"), shape("Łódź 90-001")
    ('999-99-9999', 'Aaa.Aaa@aaa.aaa', 'Aaa 99-999')
    """
    short = _LETTERS.sub(r"\1", "".join(map(_kind, text[: 8 * LONGEST])))
    return short if len(short) <= LONGEST else short[: LONGEST - 1] + "…"


def _kind(char: str) -> str:
    if char.isdigit():
        return "9"
    if char.isalpha():
        return "A" if char.isupper() else "a"
    return char if char.isprintable() else " "


def commonest(items: Iterable[tuple[str, int]]) -> str | None:
    """The shape that most cells have; the first in text order among equals; None where there are none."""
    counts: dict[str, int] = {}
    for text, count in items:
        one = shape(text)
        counts[one] = counts.get(one, 0) + count
    return min(counts, key=lambda s: (-counts[s], s)) if counts else None
