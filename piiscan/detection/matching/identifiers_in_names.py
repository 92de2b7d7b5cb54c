"""Identifiers in names: of files and folders, members of archives, sheets, tables, columns and keys.

A name is text like a cell, but one without neighbours: a number that only a header or other cells could explain says
nothing there (`export_20230115` has the digits of several national numbers). So a name counts where an identifier is
evident in it: by its fixed look (e-mail address, dashed SSN, IBAN, card) or beside a phrase that names it
(`ssn_078051120`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from piiscan.core.entities import PII_CLASS
from piiscan.detection.matching import reference
from piiscan.rules.compile_rules import CompiledRules, Pattern
from piiscan.rules.definitions import Rule, RuleSet
from piiscan.rules.rule_sets import compiled_rules, shipped

_FEWEST_DIGITS = 4
"""Names with fewer digits and neither "@" nor ":" hold no evident identifier."""
_DIGIT = re.compile("[0-9]")
_JOINTS = (str.maketrans("_", " "), str.maketrans("_.,;[](){}!/\\", " " * 13))
"""What joins words in names; the second also joins keys and endings, and tears e-mail and IP addresses apart."""


def evident(name: str | None, rules: RuleSet | None = None) -> tuple[Rule, ...]:
    """The rules of direct identifiers of which a match is evident in `name`, by id: of the shipped rules, and of
    `rules` besides; () for none and for no name."""
    if not name or not ("@" in name or ":" in name or sum(c.isdigit() for c in name) >= _FEWEST_DIGITS):
        return ()
    found = {rule.id: rule for compiled in _compiled_sets(rules) for rule in _evident(name, compiled)}
    return tuple(found[i] for i in sorted(found))


def is_number(name: str | None, rules: RuleSet | None = None) -> bool:
    """Whether `name` as a whole is what some rule of a direct identifier matches, evident or not.

    So a column is printed by its place where a file without a header was taken for one with a header.
    """
    if not name or not any(c.isdigit() or c == "@" for c in name):
        return False
    return any(_is_number(name, compiled) for compiled in _compiled_sets(rules))


def _compiled_sets(rules: RuleSet | None) -> tuple[CompiledRules, ...]:
    known = shipped()
    return (known,) if rules is None or rules is known.rules else (known, _compiled(rules))


@lru_cache(maxsize=4)
def _compiled(rules: RuleSet) -> CompiledRules:
    return compiled_rules(rules)


@lru_cache(maxsize=8192)
def _is_number(name: str, compiled: CompiledRules) -> bool:
    digits = sum(c.isdigit() for c in name)
    possible = (
        p.fewest_digits <= digits and p.shortest <= len(name) and all(c in name for c in p.needs)
        for p in compiled.of("anywhere", "context")
        if PII_CLASS[p.rule.entity] == "direct"
    )
    if not any(possible):  # as of most names; regexes of all rules take long to compile
        return False
    hits = reference.cell_hits(name, compiled)
    rules = compiled.rules.by_id
    return any(
        h.passed and PII_CLASS[rules[h.rule].entity] == "direct" and rules[h.rule].search != "cell" for h in hits
    )


@lru_cache(maxsize=8192)
def _evident(name: str, compiled: CompiledRules) -> tuple[Rule, ...]:
    found: dict[str, Rule] = {}
    texts = dict.fromkeys((name, name.rpartition(".")[0], *(name.translate(joints) for joints in _JOINTS)))
    for text in filter(None, map(str.strip, texts)):
        # Names of many files differ in their digits only: which patterns are worth a look is found once for all of
        # them.
        candidates = _candidates(_DIGIT.sub("0", text), compiled)
        spans, _ = reference.spans(text, candidates) if candidates else ([], ())
        found |= {span.pattern.rule.id: span.pattern.rule for span in spans}
    return tuple(rule for rule in found.values() if PII_CLASS[rule.entity] == "direct")


@lru_cache(maxsize=4096)
def _candidates(shape: str, compiled: CompiledRules) -> tuple[Pattern, ...]:
    """The patterns that texts of this shape (every digit a 0) may hold a match of, and of which a phrase stands in
    it."""
    digits, spoken = shape.count("0"), set(re.findall(r"[a-z]+", shape.lower()))
    found = [
        p
        for p in compiled.of("anywhere", "context")
        if p.fewest_digits <= digits
        and p.shortest <= len(shape)
        and (
            p.rule.search == "anywhere"
            or (any(w.split()[0] in spoken for w in p.phrases) and reference.has_context(p, shape))
        )
    ]
    return tuple(p for p in found if not p.kinds or reference.compiled_regex(p.kinds).search(shape))
