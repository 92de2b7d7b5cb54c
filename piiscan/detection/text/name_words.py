"""Whether two words of a text are a given and a family name, where what is around them says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from piiscan.core.header_words import fold
from piiscan.detection.matching.identifiers_in_names import are_names, is_given, is_place
from piiscan.detection.text.token_features import In

_FIRMS: Final = frozenset(
    """
    austin-reed calvin-klein charles-schwab edward-jones ernst-young fred-perry harris-teeter harvey-nichols
    holland-barrett hugo-boss jack-daniels jack-jones jamie-oliver jimmy-choo john-lewis johnson-matthey
    karl-lagerfeld kate-spade leroy-merlin lloyd-george marc-jacobs marks-spencer mary-kay massimo-dutti
    max-mara mercedes-benz michael-kors morgan-stanley paul-smith peter-hahn ralph-lauren robert-dyas robert-half
    robert-walters roberto-cavalli russell-hobbs stanley-morgan stella-mccartney thomas-cook tim-hortons
    tommy-hilfiger victoria-beckham walter-services yves-rocher
    """.split()
)
"""Shops and firms that are called like persons."""
_SHORTEST: Final = 3
_NO_NAME: Final = In.COMMON | In.COUNTRY | In.FUNCTION | In.PEOPLE | In.TIME | In.KNOWN
_SURELY: Final = In.GIVEN | In.RARE_GIVEN | In.FAMILY
_OTHERWISE: Final = In.COMMON | In.JOB | In.TITLE | In.CITY | In.KNOWN
ANY: Final = _SURELY | In.RARE_FAMILY
Lists = Callable[[str], int]
"""The recogniser's lists that a word is in."""


def stand(words: list[str], known: list[int], alone: bool, lists: Lists) -> bool:
    """Whether two words are a given and a family name. `alone`: between marks, so that one of them may be unknown."""
    (a, b), (one, other) = words, known
    return min(len(a), len(b)) >= _SHORTEST and (
        _are_names(a, b, one) or _are_names(b, a, other) or _pair(one, other) or (alone and _lone(a, b, lists))
    )


def are_other(words: Sequence[str]) -> bool:
    """Whether two neighbours of some words are a firm or a place, though called like a person."""
    return any(f"{fold(a)}-{fold(b)}" in _FIRMS or is_place(a, b) for a, b in pairwise(words))


def is_word(found: int) -> bool:
    """Whether the lists that a word is in speak against a name."""
    return bool(found & _NO_NAME) and not found & (In.GIVEN | In.FAMILY)


def _are_names(given: str, family: str, lists: int) -> bool:
    """Whether the shipped lists have two words as a given and a family name, and the first isn't rather a word."""
    return are_names(given, family) and (not lists & In.COMMON or bool(lists & In.GIVEN))


def _pair(one: int, other: int) -> bool:
    """Whether two words are known as names alone."""
    return bool(one & ANY and other & ANY and not (one | other) & In.COMMON)


def _lone(one: str, other: str, lists: Lists) -> bool:
    """Whether of two words one is known as a name alone, and the other isn't known at all."""
    return (_is_surely(one, lists) and not lists(other)) or (_is_surely(other, lists) and not lists(one))


def _is_surely(word: str, lists: Lists) -> bool:
    found = lists(word)
    return not found & _OTHERWISE and (bool(found & _SURELY) or is_given(word))
