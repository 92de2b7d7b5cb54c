"""What a recogniser sees of a word: texts, the same in training and in use.

Every feature is of one word, at a distance of up to two words from the one that is labelled, or of a pair of
neighbours; so what it weighs for a word can be kept and added up, and a text needs no more than sums.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from piiscan.core.caches import of_words

Mode = Literal["mixed", "upper", "lower"]
"""How a segment is written; in all but `mixed` the case of a word says nothing."""

LISTS: Final = (
    "given rare-given family rare-family city rare-city place-part country people "
    "organisation title job function common time known"
).split()

OFFSETS: Final = ("0", "-1", "+1", "-2", "+2")
"""How a feature is marked: of the word itself, of the one before it, after it, two before, two after."""
SIDES: Final = ("L", "R")
"""How a feature of a pair is marked: for the label of its right word, or of its left one."""
PAIRS: Final = ("cc", "wc", "cw")
FAR: Final = 2
PAIRED: Final = 0x9E3779B1
"""An odd number that the hash of a pair's left side is multiplied by."""
BEGIN: Final = "<s>"
END: Final = "</s>"


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
    KNOWN = 32768


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


@of_words(1 << 13)
def folded(word: str) -> str:
    """A word as lists have it: lower case, without accents."""
    low = word.lower()
    if low.isascii():
        return low
    low = low.replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("đ", "d").replace("æ", "ae")
    return "".join(c for c in unicodedata.normalize("NFKD", low) if not unicodedata.combining(c))


def shape(word: str) -> str:
    """The kinds of characters: "Xx", "X", "x", "XxX", "0", "Xx-Xx", or a mark itself. Repeats count once."""
    if word.isascii() and word.isalpha():  # as most are
        if word.islower():
            return "x"
        if word.isupper():
            return "X"
        if word[0].isupper() and word[1:].islower():
            return "Xx"
    out = []
    last = ""
    for c in word[:24]:
        kind = _character(c)
        if kind != last:
            out.append(kind)
            last = kind
    return "".join(out[:6])


def _character(c: str) -> str:
    if c.isupper():
        return "X"
    if c.isalpha():
        return "x"
    return "0" if c.isdigit() else c


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
    """The coarse class of a word, for pairs of neighbours; of one that is no word its first mark."""
    if not word[0].isalpha():
        return word[0]
    return f"{_case(word) if how == 'mixed' else ''}:{_group(word, lists)}"


def _case(word: str) -> str:
    if word.isupper():
        return "X"
    return "x" if word[0].islower() else "Xx"


_GROUPS: Final = (
    (In.TITLE, "title"),
    (In.FUNCTION, "function"),
    (In.KNOWN, "known"),
    (_GIVEN, "given"),
    (In.CITY | In.COUNTRY, "place"),
    (In.ORGANISATION, "organisation"),
    (In.PEOPLE, "people"),
    (In.TIME, "time"),
    (In.FAMILY, "family"),
    (In.COMMON | In.JOB, "common"),
    (In.RARE_FAMILY, "rare-family"),
    (In.RARE_CITY | In.PLACE_PART, "rare-place"),
)
"""Lists of words and the group that a word of one of them belongs to: the first that fits."""


def _group(word: str, lists: int) -> str:
    for some, group in _GROUPS:
        if lists & some:
            return "name" if group == "given" and lists & _FAMILY else group
    return "letter" if len(word) == 1 or (len(word) == 2 and word[1] == ".") else ""


class Seen(NamedTuple):
    """The features of a word.

    For its own label all of `texts` count, for its neighbours' the first `of_neighbours`, for those two words away
    the first FAR. In pairs it is `low` (the word in small letters, or its stand-in) or its `group`.
    """

    texts: list[str]
    of_neighbours: int
    low: str
    group: str


def of_word(word: str, lists: int, how: Mode) -> Seen:
    """The features of a word."""
    special = kind(word)
    low = special or word.lower()
    group = special or category(word, lists, how)
    if special or not word[0].isalpha():
        return Seen([f"w={low}", f"c={group}"], FAR, low, group)
    looks = shape(word) if how == "mixed" else how
    listed, alone = _of_lists(lists, looks)
    shared = [f"w={low}", f"c={group}", f"s3={low[-3:]}", *listed]
    own = [
        f"p1={low[:1]}", f"p2={low[:2]}", f"p3={low[:3]}", f"s1={low[-1:]}", f"s2={low[-2:]}", f"s4={low[-4:]}",
        f"n={min(len(low), 12)}|{looks}", f"s3={low[-3:]}|{looks}",
    ]  # fmt: skip
    return Seen([*shared, *own, *alone], len(shared), low, group)


@lru_cache(maxsize=1 << 14)
def _of_lists(lists: int, looks: str) -> tuple[list[str], list[str]]:
    """Return features of a word's spelling and lists: those for its neighbours too, and those for the word alone."""
    listed = [f"l={name}" for bit, name in zip(_BITS, LISTS, strict=True) if lists & bit] or ["l="]
    return [f"h={looks}", *listed, f"m={lists}|{looks}"], [f"{item}|{looks}" for item in listed]


def of_edge(edge: str) -> Seen:
    """The features of a sentence's beginning or end, which only its neighbour sees."""
    return Seen([f"w={edge}"], 1, edge, edge)


def of_pair(left: Seen, right: Seen) -> list[str]:
    """Features of two neighbours."""
    return [f"cc={left.group} {right.group}", f"wc={left.low} {right.group}", f"cw={left.group} {right.low}"]


def crc(text: str) -> int:
    """CRC-32 of a text in UTF-8; halves of surrogate pairs, which Python lets a text have, as they are."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def key(attribute: str) -> int:
    """The key of a feature with its mark, "-1 w=and" or "L cc=x:function Xx:given", by which a model knows it.

    It is put together from the CRC-32 of its parts, so that those of a word's features, and those of all pairs of
    words, come by arithmetic (`Recogniser`).
    """
    mark, _, text = attribute.partition(" ")
    if mark in SIDES:
        kind_, _, pair = text.partition("=")
        left, _, right = pair.partition(" ")
        return (crc(left) * PAIRED + crc(right) & 0xFFFFFFFF) ^ salt(f"{mark} {kind_}")
    return crc(text) ^ salt(mark)


def salt(mark: str) -> int:
    """What keeps features of different marks apart.

    CRCs are linear: of two marks they differ by what those of two words differ by.
    """
    return crc(mark) * PAIRED & 0xFFFFFFFF
