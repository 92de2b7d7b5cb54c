"""A rule set turned round: from a header's words to the rules that name them, from a value to the lists that hold it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from piiscan.headers import tokens
from piiscan.rules import Rule, RuleSet

_NONE: frozenset[str] = frozenset()
_AFTER_LATIN = "\u0370"
"""Scripts from here on never fold to ASCII."""

Phrases = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Lexicon:
    """`latin`: joined-up header phrase → ids of the rules that list it, for phrases in Latin script; `lists`: entity → the folded whole values that
    are listed for it."""

    rules: RuleSet
    by_id: dict[str, Rule]
    latin: Phrases
    lists: dict[str, frozenset[str]]

    @cached_property
    def others(self) -> Phrases:
        """Phrases in other scripts, made when the first header in one is read."""
        return _phrases((p, r.id) for r in self.rules.rules for p in r.headers if not _in_latin(p))

    @cached_property
    def _vetoes(self) -> dict[str, frozenset[str]]:
        return {}

    def vetoes(self, rule: str) -> frozenset[str]:
        """The joined-up phrases that silence a rule."""
        if rule not in self._vetoes:
            self._vetoes[rule] = frozenset(map(_joined, self.by_id[rule].not_headers))
        return self._vetoes[rule]

    def naming(self, text: str) -> tuple[str, ...]:
        """Ids of the rules that list joined-up words as a header phrase."""
        return self.latin.get(text, ()) if text.isascii() else self.latin.get(text, ()) + self.others.get(text, ())

    def values(self, entity: str) -> frozenset[str]:
        """All listed values of an entity."""
        return self.lists.get(entity, _NONE)


def _in_latin(phrase: str) -> bool:
    return phrase.isascii() or max(phrase) < _AFTER_LATIN


def _joined(phrase: str) -> str:
    plain = phrase.replace(" ", "")
    return plain if plain.isascii() and plain.isalpha() and plain.islower() else "".join(tokens(phrase))


def _phrases(pairs: Iterable[tuple[str, str]]) -> Phrases:
    found: Phrases = {}
    for phrase, rule in pairs:
        text = _joined(phrase)
        known = found.get(text)
        if known is None:
            found[text] = (rule,)
        elif known[-1] != rule and rule not in known:
            found[text] = (*known, rule)
    return found


def _make(rules: RuleSet) -> Lexicon:
    lists: dict[str, frozenset[str]] = {}
    for rule in rules.rules:
        if rule.values:
            lists[rule.entity] = lists.get(rule.entity, _NONE).union(rule.values)
    latin = _phrases((p, r.id) for r in rules.rules for p in r.headers if _in_latin(p))
    return Lexicon(rules, {r.id: r for r in rules.rules}, latin, lists)


_last: list[Lexicon] = []


def lexicon(rules: RuleSet) -> Lexicon:
    """The lexicon of a rule set; that of the last one is kept."""
    for known in _last:
        if known.rules is rules:
            return known
    made = _make(rules)
    _last[:] = [made]
    return made
