"""Values shown without showing them: digits as 9, letters as a and A, long words cut, the rest as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

LONGEST = 32
MOST_LOOKED_AT = 256
"""Distinct values whose shapes are compared."""
_TAIL = re.compile(r"(?<=[Aa]{3})[Aa]+")


def _kind(char: str) -> str:
    if char.isdigit():
        return "9"
    if char.isalpha():
        return "A" if char.isupper() else "a"
    return char if char.isprintable() else " "


class _Kinds(dict[int, str]):
    """Code point → 9, A, a or itself; worked out once each."""

    def __missing__(self, code: int) -> str:
        self[code] = kind = _kind(chr(code))
        return kind


_KINDS = _Kinds()


def shape(text: str) -> str:
    """The shape of a value; at most LONGEST characters, words cut to three letters.

    >>> shape("078-05-1120"), shape("Ada.Lovelace@example.org"), shape("Łódź 90-001")
    ('999-99-9999', 'Aaa.Aaa@aaa.aaa', 'Aaa 99-999')
    """
    short = _TAIL.sub("", text[: 8 * LONGEST].translate(_KINDS))
    return short if len(short) <= LONGEST else short[: LONGEST - 1] + "…"


def commonest(items: Iterable[tuple[str, int]]) -> str | None:
    """The shape that most of the first items' cells have; the first in text order among equals; None where there are
    none."""
    counts: dict[str, int] = {}
    for text, count in islice(items, MOST_LOOKED_AT):
        one = shape(text)
        counts[one] = counts.get(one, 0) + count
    return min(counts, key=lambda s: (-counts[s], s)) if counts else None
