"""Numbers without a look of their own that a text announces: those of patients' records, and of bank accounts.

"MRN 00482913", "Patient-ID: 883274", "historia clínica 9988"; "Account Number,734835686845", "Kontonummer: 4711 2233".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from piiscan.core.caches import of_words
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.labels import LABEL, WORDS, cell_before, without_marks
from piiscan.detection.text.span import Span
from piiscan.rules.definitions import RuleSet

RECORD: Final = "medical-record"
ACCOUNT: Final = "bank-account"
SCORE: Final = 0.9
"""Set, not measured, as that of rules that count in any text."""
_CODE: Final = lazy_pattern(r"(?<![\w./-])[A-Z]{0,4}-?\d[A-Z0-9]{0,19}(?:-[A-Z0-9]{1,10}){0,3}(?!\w|[.,:/-]\w)")
_GROUPS: Final = lazy_pattern(r"(?<![\w./-])\d[A-Z0-9]{0,31}(?:[ ./-]\d[A-Z0-9]{0,19}){0,8}(?!\w|[.,:/-]\w)")
_DATE: Final = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}(?: .*)?")
_ENDS_LABEL: Final = re.compile(r"[\n;!?|,<>\d\"]|\.\s+(?=[^\W\d_a-z])")
_LINKS: Final = frozenset("is was ist est es era the a der die das".split())
_FEW: Final = 4
"""Words that say so, at most."""
_FEWEST: Final = 5
"""Digits of a record: with fewer it may be a year, or how many."""
_FEWEST_OF_ACCOUNT: Final = 6
_NUMBERS: Final = frozenset("number no nr num id nummer numero número numéro nº n".split())
_TOO_OPEN: Final = frozenset(("patient", "subject"))
"""Headers of such columns that say too little in a sentence."""
_ACCOUNTS: Final = frozenset("konto conta cuenta conto compte rachunek hesap rekening rekeningnummer счет счёт".split())
"""Words that say so where they are all of a label: accounts of banks rather than of users."""
_MARKED: Final = re.compile(r"[:;,=]\s*$")


def numbers_by_label(text: str, rules: RuleSet) -> Iterator[Span]:
    """The numbers of records and accounts in a text: codes right behind words that say so."""
    for rule_id, pattern, fewest in ((RECORD, _CODE, _FEWEST), (ACCOUNT, _GROUPS, _FEWEST_OF_ACCOUNT)):
        rule = rules.by_id.get(rule_id)
        if rule is None:
            continue
        for found in pattern.finditer(text):
            digits = sum(map(str.isdigit, found[0]))
            if digits < fewest - any(map(str.isalpha, found[0])) or (rule_id == ACCOUNT and _DATE.fullmatch(found[0])):
                continue
            if _is_announced(rules, text[max(0, found.start() - LABEL) : found.start()], rule_id):
                yield Span(found.start(), found.end(), rule.entity, rule.subtype, rule.id, SCORE)


def _is_announced(rules: RuleSet, before: str, rule: str) -> bool:
    cell = cell_before(before)
    label = _ENDS_LABEL.split(without_marks(before))[-1] if cell is None else cell
    if rule == ACCOUNT and _MARKED.search(before) and label.strip(" :=").lower() in _ACCOUNTS:
        return True
    return _announced(rules, label, rule)


@of_words(1 << 14)
def _announced(rules: RuleSet, label: str, rule: str) -> bool:
    """Whether the last words of a label name such a number."""
    words = [word for word in WORDS.findall(label) if word == "A" or word.lower() not in _LINKS][-_FEW:]
    return any(_names(rules, words[i:], rule) for i in range(len(words)))


def _names(rules: RuleSet, words: list[str], rule: str) -> bool:
    """Whether words name such a number, up to the last of them."""
    said, before = " ".join(words), " ".join(words[:-1])
    if said.lower() in _TOO_OPEN or rule not in rules.named(said):
        return False
    return words[-1].lower() in _NUMBERS or before.lower() in _TOO_OPEN or rule not in rules.named(before)
