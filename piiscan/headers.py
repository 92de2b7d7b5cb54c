"""Headers as tokens: what a column's name says, by whole words and never by substrings."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LONGEST_PHRASE = 8
"""Words in a header phrase, at most."""

_LETTERS = {"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
# Combining marks of the Latin, Greek and Cyrillic scripts fold away; those of other scripts carry vowels and stay.
_MARKS = re.compile("[\u0300-\u036f]+")
_WORD = re.compile(r"[^\W_\d]+|\d+")
_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")


def fold(text: str) -> str:
    """Lower case without accents: "Geschäfts-Straße" → "geschafts-strasse"."""
    text = _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", "".join(_LETTERS.get(c, c) for c in text))


@lru_cache(maxsize=4096)
def tokens(header: str) -> tuple[str, ...]:
    """The words of a header, folded; numbers are tokens of their own.

    >>> tokens("customerFirst_Name2"), tokens("acid_level"), tokens("Date of Birth (DOB)")
    (('customer', 'first', 'name', '2'), ('acid', 'level'), ('date', 'of', 'birth', 'dob'))
    """
    return tuple(_WORD.findall(fold(_CAMEL.sub(" ", header))))


def find_phrase(phrase: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether `phrase` stands in `words` as consecutive whole tokens, or joined up as one of them.

    >>> find_phrase(("first", "name"), tokens("FIRSTNAME")), find_phrase(("lic",), tokens("public"))
    (True, False)
    """
    n = len(phrase)
    if n > 1 and "".join(phrase) in words:
        return True
    return any(words[i : i + n] == phrase for i in range(len(words) - n + 1))
