"""Words of Thai and of scripts of India in plain Latin letters, in which vowels are unwritten or stand as signs.

Good enough to look right; no standard's transliteration.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern

WORD: Final = lazy_pattern("[\u0900-\u09ff\u0b80-\u0bff]+|[\u0e01-\u0e4e]+")
"""Devanagari, Bengali and Tamil; Thai."""
_CONSONANTS: Final = dict(
    zip(
        "กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ",
        "k kh kh kh kh kh ng ch ch ch s ch y d t th th th n d t th th th n b p ph f ph f ph m y r l w s s s h l _ "
        "h".split(),
        strict=True,
    )
)
_VOWELS: Final = dict(zip("ะัาำิีึืุูเแโใไฤ", "a a a am i i ue ue u u e ae o ai ai rue".split(), strict=True))
_BEFORE: Final = re.compile("([เแโใไ])([ก-ฮ])")
"""Vowels that are written before the consonant behind which they are spoken."""
_SILENT: Final = re.compile("[ก-ฮ][\u0e34\u0e38]?\u0e4c")
_REPEATED: Final = re.compile(r"(.)\1+")
_TAMIL: Final = "\u0b80"
_READINGS: Final = {"ca": "cha", "ssa": "sha", "r": "ri"}


def read(word: str) -> str:
    """A word of these scripts in a–z.

    >>> [read(word) for word in ("राहुल", "শিরীন", "தமிழ்", "สมชาย")]
    ['rahul', 'shirin', 'tamil', 'somchay']
    """
    return _thai(word) if "\u0e01" <= word[0] <= "\u0e4e" else "".join(_indic(word))


def _indic(word: str) -> Iterator[str]:
    """Each consonant is spoken with an a, unless a sign follows, or Hindi or Bengali ends with it."""
    vowel, is_written, letters = "", True, 0
    for c in unicodedata.normalize("NFC", word):
        kind, _, name = unicodedata.name(c, "").partition(" ")[2].rpartition(" ")
        reading = _READINGS.get(name.lower()) or _REPEATED.sub(r"\1", name.lower())
        if kind.endswith("VOWEL SIGN"):
            vowel, is_written = reading, True
        elif name == "VIRAMA":
            vowel = ""
        elif name in ("ANUSVARA", "CANDRABINDU"):
            yield f"{vowel}n"
            vowel = ""
        elif "LETTER" in kind:
            yield vowel
            letters += 1
            is_consonant = len(name) > 1 and name.endswith("A") and name != "AA"
            vowel, is_written = "a" if is_consonant else "", False
            yield reading[:-1] if is_consonant else reading
    if is_written or letters == 1 or word[0] >= _TAMIL:
        yield vowel


def _thai(word: str) -> str:
    """Consonants before a written vowel and behind one are of its syllable; others speak an o or an a."""
    out: list[str] = []
    waiting: list[str] = []
    closes = False
    for c in _BEFORE.sub(r"\2\1", _SILENT.sub("", word)):
        if c in _CONSONANTS:
            waiting.append(_CONSONANTS[c].strip("_"))
        elif c in _VOWELS:
            out += [*_between(waiting[:-1], closes, ends=False), *waiting[-1:], _VOWELS[c]]
            waiting, closes = [], True
    return "".join([*out, *_between(waiting, closes, ends=True)])


def _between(consonants: list[str], closes: bool, ends: bool) -> Iterator[str]:
    """Consonants without a written vowel. `closes`: the first one ends a syllable; `ends`: no vowel follows."""
    at = 0
    if closes and consonants:
        yield consonants[0]
        at = 1
    for i in range(at, len(consonants), 2):
        pair = consonants[i : i + 2]
        yield "o".join(pair) if len(pair) > 1 else pair[0] if ends else f"{pair[0]}a"
