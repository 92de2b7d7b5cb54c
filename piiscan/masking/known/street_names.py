"""How the name of a street may be written in an address, and in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from piiscan.core.header_words import fold

_SHORTEST: Final = 5
_WORD: Final = re.compile(r"[^\W_]+")
_ROADS: Final = (
    ("street", "st"), ("road", "rd"), ("avenue", "ave"), ("drive", "dr"), ("lane", "ln"), ("court", "ct"),
    ("boulevard", "blvd"), ("place", "pl"), ("square", "sq"), ("terrace", "ter"), ("highway", "hwy"), ("rue", "r"),
    ("ulica", "ul"), ("улица", "ул"), ("проспект", "пр"), ("calle", "c"), ("avenida", "av"), ("rua", "r"),
    ("via", "v"), ("piazza", "p"), ("plaza", "pza"),
)  # fmt: skip
_TYPES: Final = frozenset(
    """
street st road rd avenue ave av drive dr lane ln court ct boulevard blvd bd place pl square sq terrace way walk close
strasse str weg platz gasse allee rue r chemin via v viale vle piazza p corso calle c avenida plaza pza rua travessa
ulica ul aleja al osiedle os plac улица ул проспект пр переулок пер площадь пл бульвар вулиця вул sokak sokagi sk cadde
caddesi cd mahallesi bulvari strada bulevardul calea aleea gata gatan vagen vej gade straat laan plein namesti trida
nam tr""".split()
)
_NUMBER_WORDS: Final = frozenset("no nr num numero nº n д дом č cp čp kat apt bl sc ap et flat".split())
_ENDINGS: Final = (("strasse", "str"), ("straße", "str"), ("straat", "str"))


@cache
def numbered_word() -> str:
    """A word with a digit in it, as a regular expression of polars."""
    digits = "".join(re.escape(chr(c)) for c in range(0x20000) if chr(c).isdigit() and not chr(c).isdecimal())
    return rf"[\p{{L}}\p{{N}}]*[\p{{Nd}}{digits}][\p{{L}}\p{{N}}]*"


class Street(NamedTuple):
    """How a street may be written before or after its number (`names`).

    `alone`: those that are long enough to mean the street without a number, with its name without its kind.
    """

    names: list[str]
    alone: list[str]

    @classmethod
    def of_address(cls, text: str) -> Street:
        """`text`: of an address."""
        words = _WORD.findall(text)
        road = _road(words, [any(map(str.isdigit, word)) for word in words])
        if not road:
            return cls([], [])
        names = _roads(road)
        alone = [name for name in names if _letters(name.split()) >= _SHORTEST]
        bare = [w for w in road if fold(w) not in _TYPES]
        if len(bare) < len(road) and _letters(bare) >= _SHORTEST:
            alone.append(" ".join(bare))
        return cls(names, alone)


def _letters(words: Sequence[str]) -> int:
    return sum(map(len, words))


def _road(words: Sequence[str], numbered: Sequence[bool]) -> list[str]:
    """The first words in a row that have no digit."""
    out: list[str] = []
    for word, has_digit in zip(words, numbered, strict=True):
        if has_digit:
            if out:
                break
        elif out and fold(word) in _NUMBER_WORDS:
            break
        else:
            out.append(word)
    return out


def _roads(road: Sequence[str]) -> list[str]:
    """The name of a street with its kind written out or abbreviated, and as it is."""
    found = [" ".join(road)]
    lower = [w.casefold() for w in road]
    for long, short in _ROADS:
        for here, there in ((long, short), (short, long)):
            for at in {0, len(lower) - 1}:
                if lower[at] == here:
                    found.append(" ".join([*lower[:at], there, *lower[at + 1 :]]))
    for long, short in _ENDINGS:
        if lower[-1].endswith(long):
            found.append(" ".join([*lower[:-1], lower[-1].removesuffix(long) + short]))
        elif lower[-1].endswith(short) and not lower[-1].endswith(long):
            found.append(" ".join([*lower[:-1], lower[-1].removesuffix(short) + long.replace("ß", "ss")]))
    return list(dict.fromkeys(found))
