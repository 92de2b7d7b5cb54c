"""Dates of birth that a text announces: "born on July 30, 2014", "DOB: 03/12/1984", "geboren am 12.03.1984"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from piiscan.core.caches import of_words
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.labels import LABEL, WORDS, without_marks
from piiscan.detection.text.span import Span
from piiscan.rules.definitions import RuleSet

RULE: Final = "date-of-birth"
SCORE: Final = 0.9
"""Set, not measured, as that of rules that count in any text."""
_DATE: Final = lazy_pattern(
    r"(?<![^\W_])(?<!\d[./-])(?:(?:"
    r"(?:19|20)\d{6}|\d{1,2}[./-]\d{1,2}[./-]\d{2}(?:\d\d)?|\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}\. ?\d{1,2}\. ?\d{4}"
    r"|\d{4}\. (?:\d{1,2}\. |[^\W\d_]{3,12} )\d{1,2}"
    r"|\d{1,2}(?:st|nd|rd|th|er|º|ª|\.)?[ -](?:of |de |den |d')?[^\W\d_]{3,12}\.?,?[ -](?:de |del )?\d{2}(?:\d\d)?"
    r"|[^\W\d_]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
    r")(?![^\W_]|[./-]\d)|\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]?)"
)
_SENTENCE: Final = re.compile(r"[\n;!?|<>\d\"]|\.\s+(?=[^\W\d_a-z])")
_LINKS: Final = frozenset(
    "is was are ist war es est era the a an on am le la el il em den op i den dne dnia v в день of ngày".split()
)
_BORN: Final = frozenset(
    """
        born geboren geb né née nee nacido nacida nació nato nata nascido nascida nasceu född født fodt syntynyt
        urodzony urodzona urodził urodziła ur narozen narozena narozený narozená narodil narodila nar narodený narodená
        született szül doğumlu doğdu gimė gimęs gimusi dzimis dzimusi sündinud
        родился родилась род народився народилась народилася γεννήθηκε nascut născut născută rođen rođena роден родена
        dob bday lahir sinh مواليد المولود المولودة ولد ولدت متولد متولدة נולד נולדה יליד ילידת
    """.split()
)
_DAYS: Final = frozenset("date day datum dato fecha data datet dt tag".split())
"""Words that say of what a birth is meant: "birth date"."""
_IN: Final = frozenset("in a à ad en em te i w we v ve do på в у at zu".split())
"""Words between a birth and its place."""
_WITHIN: Final = frozenset(
    "de la del dell nell di da do dos das van den der am an im sur les le los las el y г м".split()
)
"""Small words in names of places."""
_PLACE: Final = 4
"""Words of a place, at most."""
_IN_PARENTHESES: Final = re.compile(r"\(b\.? ?$")
_BEHIND: Final = lazy_pattern(
    r"[ ,]{0,2}(?:生まれ|生れ|出生|년생|출생|г\. ?р\.|года рождения|р\. ?н\.|doğumlu|született"
    r"|(?:in [^\W\d_]{2,30} )?geboren\b)"
)
_FEW: Final = 4
"""Words that say so, at most."""


def births(text: str, rules: RuleSet) -> Iterator[Span]:
    """The dates of birth in a text, in the order of their places: dates right behind, or before, words that say so."""
    rule = rules.by_id.get(RULE)
    if rule is None:
        return
    for found in _DATE.finditer(text):
        start, end = found.span()
        before = without_marks(text[max(0, start - LABEL) : start]).replace("г. ", "г ")  # of a city
        label = _SENTENCE.split(before)[-1]
        if _announced(rules, label) or _IN_PARENTHESES.search(label) or _BEHIND.match(text, end):
            yield Span(start, end, rule.entity, rule.subtype, rule.id, SCORE)


def is_day(text: str) -> bool:
    """Whether a text is a day as births are written."""
    return _DATE.fullmatch(text) is not None


@of_words(1 << 14)
def _announced(rules: RuleSet, label: str) -> bool:
    """Whether the last words of a label say that a date of birth follows."""
    words = WORDS.findall(label)
    while words and words[-1].lower() in _LINKS:
        words.pop()
    if words and (words[-1].lower() in _BORN or _born_in_a_place(words)):
        return True
    for count in range(1, min(_FEW, len(words)) + 1):
        last = words[-count:]
        if _says_birth(rules, last):  # up to the last word
            return not _says_birth(rules, last[:-1]) or last[-1].lower() in _DAYS
    return False


def _born_in_a_place(words: list[str]) -> bool:
    """Whether a label ends in "born in", in any language of the list, and a place of a few words."""
    for count in range(1, min(_PLACE, len(words) - 2) + 1):
        before, said = words[-count - 1].lower(), words[-count - 2].lower()
        if before in _IN and said in _BORN:
            return all(word[0].isupper() or word.lower() in _WITHIN for word in words[-count:])
    return False


def _says_birth(rules: RuleSet, words: list[str]) -> bool:
    return bool(words) and RULE in rules.named(" ".join(words))
