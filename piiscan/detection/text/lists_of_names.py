"""Lists of persons, of which a text consists: "Ann Lee, Bob Stone and Nicola Brathwaite", as members of a team."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.matching.identifiers_in_names import is_given
from piiscan.detection.text.name_words import Lists, are_other, is_word, stand
from piiscan.detection.text.token_features import In

_LONGEST: Final = 4000
_NAME: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|['’.-])*(?: [^\W\d_](?:[^\W\d_]|['’.-])*){1,4}")
_BETWEEN: Final = lazy_pattern(r"\s*(?:[,;/|&\n]|(?<=\s)(?:and|und|et|y|e|en|och|og|i|ve|[-–])(?=\s))\s*")
_FEWEST: Final = 2


def in_list(text: str, lists: Lists) -> Iterator[tuple[int, int]]:
    """The places of the names of which a text consists, if it is a list of persons.

    At least half of its parts, and two, are a given and a family name that are known; none speaks against a name. Then
    the others are persons too.
    """
    if len(text) > _LONGEST or (text[:1].isalpha() and not text[0].isupper()):
        return
    places, known, at = [], 0, 0
    for start, end in chain((found.span() for found in _BETWEEN.finditer(text)), ((len(text), len(text)),)):
        if part := text[at:start].strip():
            at += text[at:start].index(part)
            says = _is_name(part, lists)
            if says is None:
                return
            places.append((at, at + len(part)))
            known += says
        at = end
    if known >= max(_FEWEST, len(places) / 2):
        yield from places


def _is_name(part: str, lists: Lists) -> bool | None:
    """Whether a part of a list is known as a name; None where it is none."""
    if _NAME.fullmatch(part) is None or not part[0].isupper():
        return None
    words = part.split(" ")
    found = [lists(word.strip(".")) for word in words]
    if any(one & In.ORGANISATION for one in found) or is_word(found[-1]) or are_other(words):
        return None
    if is_word(found[0]) and not is_given(words[0]):  # Piers
        return None
    return any(stand(words[i : i + 2], found[i : i + 2], len(words) == 2, lists) for i in range(len(words) - 1))
