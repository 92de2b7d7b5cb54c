"""Lines whose cells have fixed widths, with names of persons, which the recogniser misses, as it reads prose.

Their cells are padded with blanks, or are as wide as they may be, so that nothing separates them:
`000017KERNWEILER     ANNA       19840317`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from piiscan.core.header_words import fold
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.scanning.classify.names_by_list import Known
from piiscan.scanning.classify.wordlists import wordlists

if TYPE_CHECKING:
    from piiscan.scanning.classify.candidates import ColumnCandidates

_STARTS: Final = lazy_pattern(r"(?<=\S  )\S|(?<=   )\S")
_WORDS: Final = lazy_pattern(r"[^\W\d_]{2,}")
_FEWEST: Final = 3
"""Lines, and different given and family names in them."""
_MOST: Final = 0.5
_PLACES: Final = 2
"""In so many of the lines cells begin at the same places, behind blanks; and at how many."""
_ONE_IN: Final = 5
"""Fewer than one line with names in so many is let pass."""


def has_names(column: ColumnCandidates) -> bool:
    """Whether lines are cells of fixed widths, given and family names by the lists of names among them."""
    lines = column.profile.texts
    if len(lines) < _FEWEST or not any("  " in line for line in lines):
        return False
    starts = Counter(found.start() for line in lines for found in _STARTS.finditer(line))
    if sum(count >= _MOST * len(lines) for count in starts.values()) < _PLACES:
        return False
    words = [[fold(word) for word in _WORDS.findall(line)] for line in lines]
    every = sorted({word for line in words for word in line})
    names = Known.by(every, wordlists().weights(every))
    named = [pair for line in words if (pair := _name(line, names))]
    given, family = (len(set(part)) for part in zip(*named, strict=True)) if named else (0, 0)
    return min(given, family) >= _FEWEST and len(named) >= len(lines) / _ONE_IN


def _name(words: list[str], names: Known) -> tuple[str, str] | None:
    """A given name in a line, and a family name that is another word."""
    given = [word for word in words if word in names.given]
    family = [word for word in words if word in names.family]
    return next(((g, f) for g in given for f in family if g != f), None)
