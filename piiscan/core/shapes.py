"""Values shown without showing them: digits as 9, letters as a and A, long words cut, the rest as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

LONGEST = 32
MOST_LOOKED_AT = 96
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


_BETWEEN = "\0"
_KINDS = _Kinds({ord(_BETWEEN): _BETWEEN})


def of_each(texts: Sequence[str], change: Callable[[str], str]) -> list[str]:
    """What `change` makes of each text.

    It must leave NUL alone and treat nothing across one: texts are changed together, which is several times as fast as
    one by one.
    """
    changed = change(_BETWEEN.join(texts)).split(_BETWEEN)
    return changed if len(changed) == len(texts) else [change(text) for text in texts]


_NINES = bytes.maketrans(b"012345678", b"999999999")


def with_nines(text: str) -> str:
    """The text with 9 for every digit of ASCII.

    >>> with_nines("B-120")
    'B-999'
    """
    # As UTF-8, in which no part of another character is a digit, that is several times as fast.
    return text.encode("utf-8", "surrogatepass").translate(_NINES).decode("utf-8", "surrogatepass")


_LOOKS = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", b"A" * 26 + b"9" * 10)


def look(text: str) -> str:
    """How a value is written in ASCII: its letters as A, its digits as 9, all else as it stands, none left out.

    >>> look("ab-12é")
    'AA-99É'
    """
    return text.upper().encode("utf-8", "surrogatepass").translate(_LOOKS).decode("utf-8", "surrogatepass")


def shape(text: str) -> str:
    """The shape of a value; at most LONGEST characters, words cut to three letters.

    >>> shape("078-05-1120"), shape("Ada.Lovelace@example.org"), shape("Łódź 90-001")
    ('999-99-9999', 'Aaa.Aaa@aaa.aaa', 'Aaa 99-999')
    """
    return _cut(_short(text[: 8 * LONGEST]))


_ASCII = bytes(ord(_kind(chr(code))) if code else 0 for code in range(128)) + bytes(128)


def _short(text: str) -> str:
    return _cut_words(_kinds_in(text))


def _kinds_in(text: str) -> str:
    return text.encode().translate(_ASCII).decode() if text.isascii() else text.translate(_KINDS)


def _cut_words(kinds: str) -> str:
    return _TAIL.sub("", kinds)


def _cut(short: str) -> str:
    short = short.replace(_BETWEEN, " ")
    return short if len(short) <= LONGEST else short[: LONGEST - 1] + "…"


def commonest(items: Iterable[tuple[str, int]]) -> str | None:
    """Return the shape of most cells among the first items; the first in text order among equals, None if empty."""
    counts: dict[str, int] = {}
    first = list(islice(items, MOST_LOOKED_AT))
    alike: dict[str, int] = {}  # of a hundred values few differ in their kinds of characters
    for kinds, (_, count) in zip(of_each([text[: 8 * LONGEST] for text, _ in first], _kinds_in), first, strict=True):
        alike[kinds] = alike.get(kinds, 0) + count
    for short, count in zip(of_each(list(alike), _cut_words), alike.values(), strict=True):
        one = _cut(short) if len(short) > LONGEST or _BETWEEN in short else short
        counts[one] = counts.get(one, 0) + count
    return min(counts, key=lambda s: (-counts[s], s)) if counts else None
