"""Numbers of patients' records that a text announces: "MRN 00482913", "Patient-ID: 883274", "historia clínica 9988"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from piiscan.core.caches import of_words
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.labels import LABEL, WORDS, without_marks
from piiscan.detection.text.span import Span
from piiscan.rules.definitions import RuleSet

RULE: Final = "medical-record"
SCORE: Final = 0.9
"""Set, not measured, as that of rules that count in any text."""
_NUMBER: Final = lazy_pattern(r"(?<![\w./-])[A-Z]{0,4}-?\d[A-Z0-9]{0,19}(?:-[A-Z0-9]{1,10}){0,3}(?!\w|[.,:/-]\w)")
_ENDS_LABEL: Final = re.compile(r"[\n;!?|,<>\d\"]|\.\s+(?=[^\W\d_a-z])")
_LINKS: Final = frozenset("is was ist est es era the a der die das".split())
_FEW: Final = 4
"""Words that say so, at most."""
_FEWEST: Final = 5
"""Digits: with fewer it may be a year, or how many."""
_NUMBERS: Final = frozenset("number no nr num id nummer numero número numéro nº n".split())
_TOO_OPEN: Final = frozenset(("patient", "subject"))
"""Headers of such columns that say too little in a sentence."""


def record_numbers(text: str, rules: RuleSet) -> Iterator[Span]:
    """The numbers of records in a text, in the order of their places: codes right behind words that say so."""
    rule = rules.by_id.get(RULE)
    if rule is None:
        return
    for found in _NUMBER.finditer(text):
        digits = sum(map(str.isdigit, found[0]))
        if digits < _FEWEST - any(map(str.isalpha, found[0])):
            continue
        before = without_marks(text[max(0, found.start() - LABEL) : found.start()])
        if _announced(rules, _ENDS_LABEL.split(before)[-1]):
            yield Span(found.start(), found.end(), rule.entity, rule.subtype, rule.id, SCORE)


@of_words(1 << 14)
def _announced(rules: RuleSet, label: str) -> bool:
    """Whether the last words of a label name the number of a record."""
    words = [word for word in WORDS.findall(label) if word.lower() not in _LINKS][-_FEW:]
    return any(_names(rules, words[i:]) for i in range(len(words)))


def _names(rules: RuleSet, words: list[str]) -> bool:
    """Whether words name such a number, up to the last of them."""
    said, before = " ".join(words), " ".join(words[:-1])
    if said.lower() in _TOO_OPEN or RULE not in rules.named(said):
        return False
    return words[-1].lower() in _NUMBERS or before.lower() in _TOO_OPEN or RULE not in rules.named(before)
