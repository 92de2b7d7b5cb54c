"""Which locale a column of names is in: by script, then by how likely its names are under each locale's lists.

Used while planning.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from piiscan.core.header_words import fold
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.masking.surrogates.firstnames import shares_of
from piiscan.masking.surrogates.locales import COMMON, LOCALES, UNSPACED, country, language, script
from piiscan.masking.surrogates.name_lists import SYLLABLES, clean, faker_class, in_syllables

DEFAULT = "en_US"
MOST = 2000
"""Names looked at; more don't make it surer."""
_KANA = lazy_pattern("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
STRANGER = 1e-6
"""How likely a name in no list is, under any locale."""
_KINDS: Final = (
    ("first_names_female", "first_names_male"),
    ("last_names", "last_names_male", "last_names_female", "male_last_names", "unisex_last_names"),
)
"""Lists of Faker that show a locale: of given names, and of family names."""
_CLOSE = 0.02
"""Locales whose mean log-likelihoods a name differ by less can't be distinguished by names."""


_FOREIGN: Final = 0.2
"""So many names with letters that aren't the locale's are worth a note: a few are of people from elsewhere."""


@dataclass(frozen=True)
class Detected:
    """A locale and why.

    `known`: share of the names that its lists hold. `next_best` would fit nearly as well where `sure` is false.
    `foreign`: share of those that aren't in them and have letters that none in them has.
    """

    locale: str
    known: float
    names: int
    next_best: str | None
    sure: bool
    foreign: float = 0.0

    def reason(self) -> str:
        """In words, without a name from the data."""
        if not self.names:
            return f"no names to tell the locale by: {self.locale} is the default"
        rival = "" if self.sure or not self.next_best else f"; {self.next_best} fits about as well"
        foreign = (
            f"; {self.foreign:.0%} aren't, and have letters that no name in them has, so they may be of a language for "
            "which there are no made-up names"
        )
        return (
            f"{self.known:.0%} of {self.names} names looked at are in the lists of {self.locale}{rival}"
            f"{foreign if self.foreign >= _FOREIGN else ''}"
        )


def locale_of(names: Iterable[str], hint: str | None = None) -> Detected:
    """The locale that some names, whole or in part, are most likely in.

    `hint`: a country ("AT") known from other columns, which decides between locales that the names can't distinguish.
    """
    words = Counter(w for name in _first(names) for w in words_of(name))
    total = sum(words.values())
    if not total:
        return Detected(DEFAULT, 0.0, 0, None, False)
    scores = {locale: _score(words, total, locale) for locale in _of_script(words)}
    chosen = _likeliest(scores, hint)
    rival = next((locale for locale in _ranked(scores) if locale != chosen), None)
    known = _known(words, total, chosen)
    foreign = _foreign(words, total, chosen)
    return Detected(chosen, known, total, rival, rival is None or not _is_close(rival, scores), foreign)


def share_known(names: Iterable[str], locale: str) -> float:
    """The share of the words of some names that a locale's lists hold; 0 for no words."""
    words = Counter(w for name in _first(names) for w in words_of(name))
    total = sum(words.values())
    return _known(words, total, locale) if total else 0.0


def _known(words: Mapping[str, int], total: int, locale: str) -> float:
    return sum(n for w, n in words.items() if _is_known(w, locale)) / total


def _is_known(word: str, locale: str) -> bool:
    """Whether a locale's lists hold a word, with accents or without."""
    return chance(word, locale) > STRANGER * 2


def _foreign(words: Mapping[str, int], total: int, locale: str) -> float:
    """The share of words in no list of a locale with letters that no name in them has; 0 in scripts of thousands."""
    if locale in UNSPACED:
        return 0.0
    known = _letters(locale)
    strange = (w for w in words if not known.issuperset(_letters_of(w)) and not _is_known(w, locale))
    return sum(words[w] for w in strange) / total


def _letters_of(name: str) -> set[str]:
    return set(filter(str.isalpha, unicodedata.normalize("NFC", name).lower()))


@cache
def _letters(locale: str) -> frozenset[str]:
    provider = faker_class("person", locale)
    return frozenset().union(*(_letters_of(name) for kind in _KINDS for name, _ in _names_of(provider, kind)))


def _of_script(words: Counter[str]) -> list[str]:
    """The locales that write as most of the words are written."""
    writing = Counter(script_of(w) for w in words.elements()).most_common(1)[0][0]
    return [loc for loc in LOCALES if script(loc) == writing] or [DEFAULT]


def _likeliest(scores: Mapping[str, float], hint: str | None) -> str:
    """The locale of the best score, where nothing else decides.

    The hinted country, unless names contradict it, or the commonest of several that score nearly as well.
    """
    ranked = _ranked(scores)
    for locale in ranked:
        speaks_as_best = language(locale) == language(ranked[0])
        if country(locale) == hint and (speaks_as_best or scores[ranked[0]] - scores[locale] < 5 * _CLOSE):
            return locale
    return next((locale for locale in COMMON if locale in scores and _is_close(locale, scores)), ranked[0])


def _ranked(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda locale: (-scores[locale], locale))


def _is_close(locale: str, scores: Mapping[str, float]) -> bool:
    return max(scores.values()) - scores[locale] < _CLOSE


def _first(names: Iterable[str]) -> Iterable[str]:
    for number, name in enumerate(names):
        if number >= MOST:
            return
        if name:
            yield name


def words_of(name: str) -> list[str]:
    """The words of a name, without titles, particles and initials."""
    words = [w for part in name.replace(",", " ").split() if (w := clean(part))]
    return [w for w in words if len(fold(w)) > 1 or not w.isascii()]


def script_of(word: str) -> str:
    """The script of a word by its first letter, as `locales.script` calls it; "" where it has none."""
    for c in word:
        first = unicodedata.name(c, "").split(" ")[0]
        if c.isalpha():
            return "CJK" if first in ("HIRAGANA", "KATAKANA") else first
    return ""


def in_kana(text: str) -> bool:
    """Whether a text has Japanese syllables, which tell its language."""
    return _KANA.search(text) is not None


def _score(words: Mapping[str, int], total: int, locale: str) -> float:
    return sum(n * math.log(chance(w, locale)) for w, n in words.items()) / total


def chance(word: str, locale: str) -> float:
    """How likely a name is in a locale.

    Half by Faker's lists, half by the country's popular first names, and a little for every name.
    """
    return chance_of(fold(word), locale)


def chance_of(key: str, locale: str) -> float:
    """The same for a word that is folded."""
    listed = _listed(locale).get(key, 0.0)
    if not listed and locale in UNSPACED and len(key) > 1:
        listed = _listed(locale).get(key[:1], 0.0) * _listed(locale).get(key[1:], 0.0) ** 0.5
    f, m = shares_of(key, country(locale), language(locale))
    return 0.5 * listed + 0.25 * (f + m) * 0.1 + STRANGER


def _names_of(provider: type[Any], attributes: Iterable[str]) -> Iterator[tuple[str, float]]:
    """The names of some lists of Faker, and their weights."""
    for attribute in attributes:
        names = vars(provider).get(attribute) or ()
        if isinstance(names, Mapping):
            yield from ((name, float(weight)) for name, weight in names.items())
        elif isinstance(names, Iterable) and not isinstance(names, str):
            yield from ((name, 1.0) for name in names)


@cache
def _listed(locale: str) -> dict[str, float]:
    """Folded name → how likely it is to be drawn from the locale's first or last names."""
    provider = faker_class("person", locale)
    out: dict[str, float] = {}
    for attributes in _KINDS:
        found: dict[str, float] = {}
        for name, weight in _names_of(provider, attributes):
            for part in name.split():
                found[fold(part)] = found.get(fold(part), 0.0) + weight
        whole = sum(found.values()) or 1.0
        for name, weight in found.items():
            out[name] = out.get(name, 0.0) + weight / whole / 2
    for syllables in SYLLABLES:
        read = {fold(name): fold(reading) for name, reading in in_syllables(locale, syllables).items()}
        for name, reading in read.items():
            if name != reading and name in out:
                out[reading] = out.get(reading, 0.0) + out[name]
    return out
