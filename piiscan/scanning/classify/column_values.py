"""What of a column's values several pieces of evidence need: names, listed values, streets, medicine, digits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.names_by_list import Known, known
from piiscan.scanning.classify.person_names import NameLook, name_look
from piiscan.scanning.classify.profile import Profile
from piiscan.scanning.classify.word_lists import MEDICAL_ENDINGS, MEDICAL_WORDS, STREET_ENDINGS, STREET_WORDS
from piiscan.scanning.classify.wordlists import wordlists

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_WORDS: Final = 6
"""Words that a name has at most."""


class ColumnValues:
    """A column's values seen with a lexicon; what is costly is made once, on demand."""

    def __init__(self, profile: Profile, lexicon: Lexicon) -> None:
        self.profile = profile
        self.lexicon = lexicon
        self._listed: dict[str, float] = {}

    @cached_property
    def look(self) -> NameLook:
        return name_look(self.profile, self.lexicon, self._names)

    def _names(self) -> Known:
        """What the lists of names know of the words, and of what unspaced names are made of."""
        if all(map(str.isascii, self.profile.vocabulary)):
            return Known.by(*self.weights)
        return known(w for words in self.profile.words if len(words) <= _MOST_WORDS for w in words)

    @cached_property
    def weights(self) -> tuple[list[str], NDArray[np.float32]]:
        """`words`, and their log-frequency in each list: (words, EVERY)."""
        words = self.words()
        return words, wordlists().weights(words)

    def words(self) -> list[str]:
        """The different words and whole texts, folded."""
        return sorted(self.profile.vocabulary | self.profile.folded_set)

    def listed(self, entity: str) -> float:
        """Share of cells whose whole value is in a list for the entity."""
        if entity not in self._listed:
            values, p = self.lexicon.values(entity), self.profile
            self._listed[entity] = 0.0 if values.isdisjoint(p.folded_set) else p.share([t in values for t in p.folded])
        return self._listed[entity]

    def streets(self) -> float:
        """Share of cells with a street word, or with a number beside words."""
        p = self.profile
        streets = {w for w in p.vocabulary if _is_street(w)}
        return p.share([
            len(words) > 0 and ((n > 0 and " " in text) or not streets.isdisjoint(words))
            for text, words, n in zip(p.texts, p.words, p.digits, strict=True)
        ])  # fmt: skip

    def street_words(self) -> float:
        """Share of cells that are a street word, another word and a number, in an order that street lines have."""
        p = self.profile
        return p.share([
            (n > 0 or not t.isascii()) and len(t) < 120 and _is_street_line(t)
            for t, n in zip(p.folded, p.digits, strict=True)
        ])  # fmt: skip

    def medical(self) -> float:
        """Share of cells that are a listed disease or medicine, or hold a word of medicine."""
        listed, p = self.lexicon.values("HEALTH_CONDITION"), self.profile
        medical = {w for w in p.vocabulary if w in MEDICAL_WORDS or (len(w) > 6 and w.endswith(MEDICAL_ENDINGS))}
        if not medical and listed.isdisjoint(p.folded_set):
            return 0.0
        return p.share([
            t in listed or not medical.isdisjoint(words) for t, words in zip(p.folded, p.words, strict=True)
        ])  # fmt: skip

    def digits(self, low: int, high: int) -> float:
        """Share of cells with so many digits, letters apart."""
        p = self.profile
        return p.share([low <= n - t.endswith(".0") <= high for t, n in zip(p.texts, p.digits, strict=True)])


def looked_up(columns: Sequence[ColumnValues]) -> None:
    """Make the `weights` of some columns with one look into the lists."""
    every = [column.words() for column in columns]
    found = wordlists().weights([word for words in every for word in words])
    at = 0
    for column, words in zip(columns, every, strict=True):
        column.__dict__["weights"] = words, found[at : at + len(words)]
        at += len(words)


def _is_street(word: str) -> bool:
    return word in STREET_WORDS or (len(word) > 6 and word.endswith(STREET_ENDINGS))


def _is_street_line(text: str) -> bool:
    parts = [w.strip(".;") for w in text.replace(",", " ").split()]
    if len(parts) < 2:
        return False
    numbers = [i for i, w in enumerate(parts) if w[:1].isdigit() and len(w) <= 7]
    streets = [i for i, w in enumerate(parts) if _is_street(w)] if numbers else []
    # "12 Oak Street", "calle Mayor 3", "Hauptstrasse 5"; not "road 150 red".
    return bool(streets) and (
        numbers[0] < streets[-1] or any(n > streets[0] + (0 if len(parts[streets[0]]) > 6 else 1) for n in numbers)
    )
