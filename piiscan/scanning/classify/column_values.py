"""What of a column's values several pieces of evidence need: names, listed values, streets, medicine, digits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING

import numpy as np

from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.names_by_list import Known, parts_of
from piiscan.scanning.classify.person_names import NameLook, name_look
from piiscan.scanning.classify.profile import Profile
from piiscan.scanning.classify.text_forms import TextForms
from piiscan.scanning.classify.word_lists import MEDICAL_ENDINGS, MEDICAL_WORDS, STREET_ENDINGS, STREET_WORDS
from piiscan.scanning.classify.wordlists import LISTS, as_words, wordlists

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Words:
    """Different words and whole texts, folded, of columns that are looked up together.

    `at`: where each is in `weights`, its log-frequency in each list, (words, EVERY).
    """

    def __init__(self, words: Iterable[str], lexicon: Lexicon) -> None:
        self.at = {word: i for i, word in enumerate(dict.fromkeys(words))}
        self.weights = wordlists().weights(list(self.at))
        self._lexicon = lexicon

    @cached_property
    def listed(self) -> dict[str, list[str]]:
        """Word → the entities whose lists it is in, of those that are in any."""
        return _by_word(self._lexicon.lists, self.at)

    @cached_property
    def worded(self) -> dict[str, list[str]]:
        """Word → the entities whose lists have it in a text, of those that are in any."""
        return _by_word(self._lexicon.parts, self.at)

    @cached_property
    def of_lists(self) -> NDArray[np.float32]:
        """(words, LISTS): the weights that features are made of."""
        return np.ascontiguousarray(self.weights[:, : len(LISTS)])

    @cached_property
    def weighed(self) -> frozenset[str]:
        """Those that are in one of LISTS."""
        return frozenset(compress(self.at, np.any(self.of_lists, axis=1).tolist()))

    @cached_property
    def names(self) -> Known:
        """Those that the lists of names know, and what they know of the parts of unspaced ones."""
        parts = parts_of(self.at)
        weights = np.concatenate([self.weights, wordlists().weights(parts)]) if parts else self.weights
        return Known.by([*self.at, *parts], weights)


def _by_word(lists: Mapping[str, frozenset[str]], words: Mapping[str, int]) -> dict[str, list[str]]:
    """Word → the entities whose lists it is in, of those of these words that are in any."""
    found: dict[str, list[str]] = {}
    for entity, values in lists.items():
        # Among the fewer: `values & words.keys()` would go through all of a list, however few the words.
        for word in values.intersection(words) if len(words) < len(values) else filter(words.__contains__, values):
            found.setdefault(word, []).append(entity)
    return found


class ColumnValues:
    """A column's values seen with a lexicon; what is costly is made once, on demand."""

    def __init__(self, profile: Profile, lexicon: Lexicon) -> None:
        self.profile = profile
        self.lexicon = lexicon

    @cached_property
    def look(self) -> NameLook:
        return name_look(self.profile, self.lexicon, lambda: self.words.names)

    @cached_property
    def words(self) -> Words:
        """Its words and whole texts, and maybe those of other columns."""
        return Words(_words([self]), self.lexicon)

    def known_words(self) -> float:
        """Share of its different words that are those of prose, jobs or places sooner than names of persons."""
        words = [self.words.at[word] for word in self.profile.vocabulary]
        return float(as_words(self.words.weights[words]).mean()) if words else 0.0

    def listed(self, entity: str) -> float:
        """Share of cells whose whole value is in a list for the entity."""
        return self._listed.get(entity, 0) / self.profile.total

    @cached_property
    def _listed(self) -> dict[str, int]:
        """Entity → how many cells are in its lists."""
        p, listed, found = self.profile, self.words.listed, dict[str, int]()
        for text, count in zip(p.folded, p.counts, strict=True):
            for entity in listed.get(text, ()):
                found[entity] = found.get(entity, 0) + count
        return found

    def worded(self, entity: str) -> int:
        """How many of the texts hold a word of the entity's lists."""
        return self._worded.get(entity, 0)

    @cached_property
    def _worded(self) -> dict[str, int]:
        p, worded, found = self.profile, self.words.worded, dict[str, int]()
        if worded.keys().isdisjoint(p.vocabulary):
            return found
        for words in p.words:
            for entity in {entity for word in words for entity in worded.get(word, ())}:
                found[entity] = found.get(entity, 0) + 1
        return found

    def streets(self) -> float:
        """Share of cells with a street word, or with a number beside words."""
        return self.profile.forms.made(_with_street)[self.profile.at] / self.profile.total

    def street_words(self) -> float:
        """Share of cells that are a street word, another word and a number, in an order that street lines have."""
        return self.profile.forms.made(_street_lines)[self.profile.at] / self.profile.total

    def medical(self) -> float:
        """Share of cells that are a listed disease or medicine, or hold a word of medicine."""
        listed, p = self.lexicon.values("HEALTH_CONDITION"), self.profile
        medical = {w for w in p.vocabulary if w in MEDICAL_WORDS or (len(w) > 6 and w.endswith(MEDICAL_ENDINGS))}
        if not medical and not self._listed.get("HEALTH_CONDITION"):
            return 0.0
        return p.share([
            t in listed or not medical.isdisjoint(words) for t, words in zip(p.folded, p.words, strict=True)
        ])  # fmt: skip

    def digits(self, low: int, high: int) -> float:
        """Share of cells with so many digits, letters apart."""
        p = self.profile
        return p.share_by(lambda forms, i: low <= forms.digits[i] - forms.each[i].endswith(".0") <= high)


def looked_up(columns: Sequence[ColumnValues]) -> None:
    """Make the `words` of some columns of one lexicon with one look into the lists."""
    if columns:
        words = Words(_words(columns), columns[0].lexicon)
        for column in columns:
            column.__dict__["words"] = words


def _words(columns: Sequence[ColumnValues]) -> Iterator[str]:
    """The words and whole texts, folded."""
    return chain.from_iterable((*(c.profile.vocabulary for c in columns), *(c.profile.folded for c in columns)))


def _with_street(forms: TextForms) -> list[int]:
    streets = {w for words in forms.words for w in words if _is_street(w)}
    rows = zip(forms.words, forms.digits, forms.spaces.tolist(), strict=True)
    return forms.cells([
        len(words) > 0 and ((n > 0 and spaces > 0) or not streets.isdisjoint(words)) for words, n, spaces in rows
    ])  # fmt: skip


def _street_lines(forms: TextForms) -> list[int]:
    rows = zip(forms.folded, forms.words, forms.digits, strict=True)
    return forms.cells([
        len(words) > 0 and (n > 0 or not form.isascii()) and len(form) < 120 and _is_street_line(form)
        for form, words, n in rows
    ])  # fmt: skip


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
