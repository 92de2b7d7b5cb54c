"""What a recogniser sees of a word: texts, the same in training and in use.

Every feature is of one word, at a distance of up to two words from the one that is labelled, or of a pair of neighbours; so
what it weighs for a word can be kept and added up, and a text needs no more than sums.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

Mode = Literal["mixed", "upper", "lower"]
"""How a segment is written; in all but `mixed` the case of a word says nothing."""

LISTS: Final = (
    "given rare-given family rare-family city rare-city place-part country people organisation title job function common time".split()
)


class In:
    """The lists that a word stands in."""

    GIVEN = 1
    RARE_GIVEN = 2
    FAMILY = 4
    RARE_FAMILY = 8
    CITY = 16
    RARE_CITY = 32
    PLACE_PART = 64
    COUNTRY = 128
    PEOPLE = 256
    ORGANISATION = 512
    TITLE = 1024
    JOB = 2048
    FUNCTION = 4096
    COMMON = 8192
    TIME = 16384


_BITS = [1 << i for i in range(len(LISTS))]
_GIVEN = In.GIVEN | In.RARE_GIVEN
_FAMILY = In.FAMILY | In.RARE_FAMILY


def mode(words: Sequence[str]) -> Mode:
    """How a segment is written. Two capitals (an abbreviation) among small letters make it `mixed`."""
    upper = lower = 0
    for word in words:
        if word.isalpha():
            if word.islower():
                lower += 1
            elif len(word) > 1 or not word.isupper():
                upper += 1
                if not word.isupper():
                    return "mixed"
    if upper and not lower:
        return "upper" if upper > 1 else "mixed"
    return "lower" if lower and not upper else "mixed"


@lru_cache(maxsize=1 << 16)
def folded(word: str) -> str:
    """A word as lists have it: lower case, without accents."""
    low = word.lower()
    if low.isascii():
        return low
    low = low.replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("đ", "d").replace("æ", "ae")
    return "".join(c for c in unicodedata.normalize("NFKD", low) if not unicodedata.combining(c))


def shape(word: str) -> str:
    """The kinds of characters: "Xx", "X", "x", "XxX", "0", "Xx-Xx", or a mark itself. Repeats count once."""
    out = []
    last = ""
    for c in word[:24]:
        kind = "X" if c.isupper() else "x" if c.isalpha() else "0" if c.isdigit() else c
        if kind != last:
            out.append(kind)
            last = kind
    return "".join(out[:6])


def kind(word: str) -> str | None:
    """What a token is that is no word: one text stands for all of its kind."""
    first = word[0]
    if first.isdigit():
        return "<number>" if not any(c.isalpha() for c in word) else "<code>"
    if first == "@" and len(word) > 1:
        return "<handle>"
    if first == "#" and len(word) > 1:
        return "<hashtag>"
    if "@" in word:
        return "<mail>"
    if word.startswith(("http://", "https://", "www.")):
        return "<url>"
    return None


def category(word: str, lists: int, how: Mode) -> str:
    """The coarse class of a word, for pairs of neighbours."""
    special = kind(word)
    if special is not None:
        return special
    if not word[0].isalpha():
        return word[0]
    case = "" if how != "mixed" else "X" if word.isupper() else "x" if word[0].islower() else "Xx"
    if lists & In.TITLE:
        of = "title"
    elif lists & In.FUNCTION:
        of = "function"
    elif lists & _GIVEN and lists & _FAMILY:
        of = "name"
    elif lists & _GIVEN:
        of = "given"
    elif lists & (In.CITY | In.COUNTRY):
        of = "place"
    elif lists & In.ORGANISATION:
        of = "organisation"
    elif lists & In.PEOPLE:
        of = "people"
    elif lists & In.TIME:
        of = "time"
    elif lists & In.FAMILY:
        of = "family"
    elif lists & (In.COMMON | In.JOB):
        of = "common"
    elif lists & In.RARE_FAMILY:
        of = "rare-family"
    elif lists & (In.RARE_CITY | In.PLACE_PART):
        of = "rare-place"
    elif len(word) == 1 or (len(word) == 2 and word[1] == "."):
        of = "letter"
    else:
        of = ""
    return f"{case}:{of}"


def of_word(word: str, lists: int, how: Mode) -> tuple[list[str], list[str], list[str]]:
    """Features of a word for its own label, for those of its neighbours, and for those two words away."""
    low = kind(word) or word.lower()
    near = [f"w={low}"]
    group = category(word, lists, how)
    if low[0] == "<" or not word[0].isalpha():
        near.append(f"c={group}")
        return near, near, near
    looks = shape(word) if how == "mixed" else how
    listed = [f"l={name}" for bit, name in zip(_BITS, LISTS, strict=True) if lists & bit] or ["l="]
    mask = f"m={lists}|{looks}"
    own = [
        near[0], f"c={group}", f"h={looks}", mask, f"p1={low[:1]}", f"p2={low[:2]}", f"p3={low[:3]}", f"s1={low[-1:]}", f"s2={low[-2:]}", f"s3={low[-3:]}",
        f"s4={low[-4:]}", f"n={min(len(low), 12)}|{looks}", *listed, *(f"{item}|{looks}" for item in listed), f"s3={low[-3:]}|{looks}",
    ]  # fmt: skip
    beside = [near[0], f"c={group}", f"h={looks}", f"s3={low[-3:]}", *listed, mask]
    return own, beside, [near[0], f"c={group}"]


def of_pair(left: str, right: str, left_category: str, right_category: str) -> list[str]:
    """Features of two neighbours, `left` and `right` being words in lower case (or what stands for them)."""
    return [f"cc={left_category} {right_category}", f"wc={left} {right_category}", f"cw={left_category} {right}"]
