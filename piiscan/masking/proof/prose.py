"""Whether a cell in which the name of somebody was found says something else: it consists of words, or is on a list."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import regex

from piiscan.core.header_words import fold
from piiscan.detection.text.text_model import shipped as model
from piiscan.detection.text.token_features import In, crc, folded
from piiscan.rules.rule_sets import shipped as shipped_rules

_WORD: Final = regex.compile(r"[\p{L}\p{M}]+")
_PROSE: Final = In.COMMON | In.COUNTRY | In.FUNCTION | In.JOB | In.PEOPLE | In.TIME
_OF_PERSONS: Final = ("first-names", "last-names")


def is_prose(cell: str) -> bool:
    """Whether all words of a cell are common ones, or the cell is a listed occupation, language, region or the like.

    >>> is_prose("Green"), is_prose("Baker"), is_prose("Team Kernweiler")
    (True, True, False)
    """
    if fold(cell) in _listed():
        return True
    words = _WORD.findall(cell)
    lists = model().lists_of(np.array([crc(folded(word)) for word in words], dtype=np.uint32))
    return bool(((lists & _PROSE) != 0).all())


@cache
def _listed() -> frozenset[str]:
    rules = shipped_rules().rules.rules
    return frozenset().union(*(rule.values for rule in rules if rule.values and rule.id not in _OF_PERSONS))
