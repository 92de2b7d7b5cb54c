"""A rule set turned round: from a header's words to the rules that name them, from a value to the lists that hold it."""

from __future__ import annotations

from dataclasses import dataclass

from piiscan.headers import fold, tokens
from piiscan.rules import Rule, RuleSet


@dataclass(frozen=True)
class Lexicon:
    """`phrases`: joined-up header phrase → ids of the rules that list it; `vetoes`: rule id → joined-up phrases;
    `lists`: entity → (rule id, folded whole values) of each list for it."""

    rules: RuleSet
    by_id: dict[str, Rule]
    phrases: dict[str, tuple[str, ...]]
    vetoes: dict[str, frozenset[str]]
    lists: dict[str, tuple[tuple[str, frozenset[str]], ...]]

    def values(self, entity: str) -> frozenset[str]:
        """All listed values of an entity."""
        found = self.lists.get(entity, ())
        return found[0][1] if len(found) == 1 else frozenset().union(*(values for _, values in found))


def _joined(phrase: str) -> str:
    if phrase.isascii() and phrase.islower() and phrase.replace(" ", "").isalpha():
        return phrase.replace(" ", "")
    return "".join(tokens(phrase)) or fold(phrase)


def _make(rules: RuleSet) -> Lexicon:
    phrases: dict[str, list[str]] = {}
    vetoes: dict[str, frozenset[str]] = {}
    lists: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for rule in rules.rules:
        for phrase in rule.headers:
            ids = phrases.setdefault(_joined(phrase), [])
            if rule.id not in ids:
                ids.append(rule.id)
        if rule.not_headers:
            vetoes[rule.id] = frozenset(map(_joined, rule.not_headers))
        if rule.values:
            lists.setdefault(rule.entity, []).append((rule.id, frozenset(rule.values)))
    return Lexicon(
        rules,
        {r.id: r for r in rules.rules},
        {p: tuple(ids) for p, ids in phrases.items()},
        vetoes,
        {e: tuple(found) for e, found in lists.items()},
    )


_last: list[Lexicon] = []


def lexicon(rules: RuleSet) -> Lexicon:
    """The lexicon of a rule set; that of the last one is kept."""
    for known in _last:
        if known.rules is rules:
            return known
    made = _make(rules)
    _last[:] = [made]
    return made
