"""A rule set inverted: from a header's words to the rules that name them, from a value to its lists."""

from __future__ import annotations

from typing import Final, NamedTuple

from piiscan.rules.definitions import Rule, RuleSet
from piiscan.scanning.classify.word_lists import ABOUT, NEUTRAL

WORDED: Final = tuple(
    "EDUCATION ETHNICITY HEALTH_CONDITION LANGUAGE MARITAL_STATUS NATIONALITY OCCUPATION RELIGION".split()
)
"""Entities whose listed values consist of informative words."""
_NONE: Final[frozenset[str]] = frozenset()


class Lexicon(NamedTuple):
    """The words and values of a rule set.

    `lists`: entity → the folded whole values that are listed for it; `parts`: for those in `WORDED` their words.
    `carriers`: entity → the rule that carries it where no rule matched it: of no country, with the most header phrases;
    entities of which no rule is selected are left out.
    """

    rules: RuleSet
    by_id: dict[str, Rule]
    lists: dict[str, frozenset[str]]
    parts: dict[str, frozenset[str]]
    carriers: dict[str, str]

    def naming(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Ids of the rules that have joined words as a header phrase, and of the rules that they veto."""
        return self.rules.naming(text)

    def values(self, entity: str) -> frozenset[str]:
        """All listed values of an entity."""
        return self.lists.get(entity, _NONE)


def _make(rules: RuleSet) -> Lexicon:
    lists: dict[str, frozenset[str]] = {}
    for rule in rules.rules:
        if rule.values:
            lists[rule.entity] = lists.get(rule.entity, _NONE).union(rule.values)
    ordered = sorted(rules.rules, key=lambda r: (r.subtype is not None, -len(r.headers), r.id), reverse=True)
    return Lexicon(
        rules,
        {r.id: r for r in rules.rules},
        lists,
        {e: _parts(e, lists[e]) for e in WORDED if e in lists},
        {rule.entity: rule.id for rule in ordered},
    )


def _parts(entity: str, values: frozenset[str]) -> frozenset[str]:
    """The words of listed values that are informative by themselves.

    Of a job's title only the last one, which names the job.
    """
    found = ((text.split()[-1:] if entity == "OCCUPATION" else text.split()) for text in values)
    return frozenset(w for words in found for word in words if len(w := word.strip("().,;/&'-")) > 2) - NEUTRAL - ABOUT


_last: list[Lexicon] = []


def lexicon(rules: RuleSet) -> Lexicon:
    """The lexicon of a rule set; that of the last one is kept."""
    for known in _last:
        if known.rules is rules:
            return known
    made = _make(rules)
    _last[:] = [made]
    return made
