"""Identifiers in names: of files and folders, members of archives, sheets, tables, columns and keys.

A name is text like a cell, but one without neighbours: a number that only a header or other cells could explain says
nothing there (`export_20230115` has the digits of several national numbers). So a name counts where an identifier is
evident in it: by its fixed look (e-mail address, dashed SSN, IBAN, card) or beside a phrase that names it
(`ssn_078051120`). An internet address counts where it is routed and can't be a version (`1.8.2.1.txt`).
So do persons, whose given and family names are in the shipped lists, one after the other (`CV_Anna_Kowalska.pdf`).
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from piiscan.core.caches import of_words
from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import fold
from piiscan.detection.matching import reference
from piiscan.detection.matching.internet_addresses import routable, versions
from piiscan.rules.compile_rules import CompiledRules, Pattern
from piiscan.rules.definitions import Rule, RuleSet
from piiscan.rules.reserved_values import is_reserved
from piiscan.rules.rule_sets import compiled_rules, shipped

_PERSON: Final = "person-name"
_SHORTEST_NAME: Final = 3
_NO_FAMILY: Final = frozenset(("lang",))
"""Family names that are short for other words: `ruby-lang`."""
_THINGS: Final = frozenset(
    """
    anderson-iris april-may ernst-young frank-wolfe grant-thornton harley-davidson jack-daniels johns-hopkins june-july
    may-june morgan-stanley robin-hood
    """.split()
)
"""Firms, months and others whose words are listed as a given and a family name, as names of files have them."""
_ALSO_WORDS: Final = frozenset(
    """
    amber april august autumn basil bill candy carol chance charity chase cherry christian clay cliff coral crystal
    daisy dale dawn dean diamond drew earl faith forest frank ginger glen grace grant guy harmony heath heather holly
    honey hope iris ivy jade jasmine jewel joy june lane lily mark max may melody miles norman olive opal pearl pepper
    poppy prince rich river robin roman rose royal ruby sandy sky star sterling summer victor violet will
    """.split()
)
"""Given names that are words, too: behind another word they may be one, `Red, Rose`."""
_FAMILY_FIRST: Final = re.compile(r"(?<![^\W\d_])([^\W\d_][\w'’-]+),[ _]+([^\W\d_]+)")
_BETWEEN_WORDS: Final = re.compile(r"[\s_.,;:=()\[\]{}!/\\&+-]+")
_FEWEST_DIGITS = 4
"""Names with fewer digits and neither "@" nor ":" hold no evident identifier."""
_PIECE, _OVERLAP = 2000, 300
"""Characters of a long name that are looked at together, and those that the next ones repeat: patterns take time that
grows faster than the text."""
_DIGIT = re.compile("[0-9]")
_ESCAPED = re.compile(r"\\([.\[\]])")
"""Marks that belong to a key, as names of derived columns have them."""
_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~ ")
"""What of a name's characters tells which patterns are worth a look."""
_JOINTS = (str.maketrans("_", " "), str.maketrans("_.,;[](){}!/\\", " " * 13))
"""What joins words in names; the second also joins keys and endings, and tears e-mail and IP addresses apart."""


class FoundInName(NamedTuple):
    """A rule with a match in a name; whether all its matches there are `reserved` values."""

    rule: Rule
    reserved: bool


def evident(name: str | None, rules: RuleSet | None = None, persons: bool = True) -> tuple[Rule, ...]:
    """Return the ids of the rules of direct identifiers that evidently match in `name`.

    It uses the shipped rules and also `rules`; the result is () for none and for no name. `persons`: names of persons
    count.
    """
    return tuple(one.rule for one in found(name, rules, persons))


def found(name: str | None, rules: RuleSet | None = None, persons: bool = True) -> tuple[FoundInName, ...]:
    """Return `evident`, and which of it is reserved."""
    if not name:
        return ()
    if "%" in name:  # as engines write keys of partitions: `email=ann%40corp.org`
        from urllib.parse import unquote

        name = unquote(name)
    of_persons = of_person() if persons and any(map(is_of_person, _levels(name))) else ()
    if not ("@" in name or ":" in name or sum(c.isdigit() for c in name) >= _FEWEST_DIGITS):
        return of_persons
    name = _ESCAPED.sub(r"\1", name)
    parts = [name[at : at + _PIECE + _OVERLAP] for at in range(0, max(1, len(name) - _OVERLAP), _PIECE)]
    known: dict[str, FoundInName] = {}
    for one in (one for compiled in _compiled_sets(rules) for p in parts for one in _found(p, compiled)):
        before = known.get(one.rule.id, one)
        known[one.rule.id] = FoundInName(one.rule, one.reserved and before.reserved)
    return (*(known[i] for i in sorted(known)), *of_persons)


def _levels(name: str) -> list[str]:
    """The parts of a name that pandas gives a column of several levels: `('Anna Kowalska', 'score')`."""
    return name[2:].rstrip("')").split("', '") if name.startswith("('") else [name]


def of_person() -> tuple[FoundInName, ...]:
    """What is found in a name that is a person's."""
    return (FoundInName(shipped().rules.by_id[_PERSON], False),)


@of_words(1 << 16)
def is_of_person(name: str) -> bool:
    """Whether a given and a family name that are in the shipped lists follow each other in a name.

    Initials may stand between them. The family name may come first where neither is in the other list, or where a comma
    follows it: then it needn't be listed.

    >>> is_of_person("CV_Anna_Kowalska.pdf"), is_of_person("sales_report.csv"), is_of_person("Hong Kong")
    (True, False, False)
    >>> is_of_person("Kowalska_Anna_2024.pdf"), is_of_person("Kernweiler, Anna.csv"), is_of_person("Augusta, Georgia")
    (True, True, False)
    """
    words = [fold(word) for word in _BETWEEN_WORDS.split(name) if len(word) != 1]
    return any(_are_person(one, other) for one, other in pairwise(words)) or any(
        _is_family_first(*match.groups()) for match in _FAMILY_FIRST.finditer(name)
    )


def are_names(given: str, family: str) -> bool:
    """Whether a word is a given and another a family name of the shipped lists, and both are no place."""
    return _are_names(fold(given), fold(family))


def is_given(word: str) -> bool:
    """Whether a word is a given name of the shipped lists, and none that heads columns."""
    givens, _, _, words = _listed()
    return fold(word) in givens and fold(word) not in words


def is_word_of_headers(word: str) -> bool:
    """Whether a word heads columns."""
    return fold(word) in _listed()[3]


def is_place(*words: str) -> bool:
    """Whether some words are a place of the shipped lists."""
    return " ".join(map(fold, words)) in _listed()[2]


def _are_person(one: str, other: str) -> bool:
    """Whether two neighbours are a given and a family name, in either order where that is sure."""
    if f"{one}-{other}" in _THINGS:
        return False
    givens, families, *_ = _listed()
    is_turned = other not in families and other not in _ALSO_WORDS and one not in givens
    return _are_names(one, other) or (is_turned and _are_names(other, one))


def _is_family_first(family: str, given: str) -> bool:
    """Whether a word before a comma is a family name, which needn't be listed, by the given name behind it."""
    givens, _, places, words = _listed()
    before, behind = fold(family), fold(given)
    return (
        family[0].isupper()
        and given[0].isupper()
        and min(len(before), len(behind)) >= _SHORTEST_NAME
        and behind in givens
        and behind not in _ALSO_WORDS
        and before not in givens
        and places.isdisjoint((before, behind))
        and words.isdisjoint((before, behind))
    )


def _are_names(given: str, family: str) -> bool:
    if min(len(given), len(family)) < _SHORTEST_NAME or given == family or family in _NO_FAMILY:
        return False
    givens, families, places, words = _listed()
    return (
        given in givens
        and family in families
        and f"{given} {family}" not in places
        and words.isdisjoint((given, family))  # what heads columns is no name there
    )


@cache
def _listed() -> tuple[Set[str], Set[str], Set[str], Set[str]]:
    """Given and family names, places, and the words that head columns."""
    rules = shipped().rules
    lists = {rule.id: rule.values for rule in rules.rules if rule.values}
    places = frozenset().union(*(lists.get(name, ()) for name in ("cities", "regions", "countries")))
    givens, families = (frozenset(lists.get(name, ())) for name in ("first-names", "last-names"))
    return givens, families, places, rules.words_of_headers


def is_number(name: str | None, rules: RuleSet | None = None) -> bool:
    """Whether `name` as a whole is what some rule of a direct identifier matches, evident or not.

    So a column is printed by its place where a file without a header was taken for one with a header.
    """
    if not name or len(name) > _PIECE or not any(c.isdigit() or c == "@" for c in name):
        return False
    return any(_is_number(name, compiled) for compiled in _compiled_sets(rules))


def _compiled_sets(rules: RuleSet | None) -> tuple[CompiledRules, ...]:
    known = shipped()
    return (known,) if rules is None or rules is known.rules else (known, _compiled(rules))


@lru_cache(maxsize=4)
def _compiled(rules: RuleSet) -> CompiledRules:
    return compiled_rules(rules)


@of_words(1 << 16)
def _is_number(name: str, compiled: CompiledRules) -> bool:
    possible = _possible(compiled, sum(c.isdigit() for c in name), len(name), _SIGNS.intersection(name))
    if not any(PII_CLASS[p.rule.entity] == "direct" for p in possible):
        return False  # as of most names; regexes of all rules take long to compile
    hits = reference.hits_of(name, possible)
    return any(h.passed and PII_CLASS[compiled.rules.by_id[h.rule].entity] == "direct" for h in hits)


@lru_cache(maxsize=1024)
def _possible(compiled: CompiledRules, digits: int, length: int, signs: frozenset[str]) -> tuple[Pattern, ...]:
    """The patterns that may find something in a name with so many digits and characters and these signs."""
    return tuple(
        p
        for p in compiled.of("anywhere", "context")
        if p.fewest_digits <= digits and p.shortest <= length and signs.issuperset(_SIGNS.intersection(p.needs))
    )


@of_words(1 << 16)
def _found(name: str, compiled: CompiledRules) -> tuple[FoundInName, ...]:
    found: dict[str, Rule] = {}
    spoilt: dict[str, bool] = {}  # by rule, whether a match is no reserved value
    texts = dict.fromkeys((name, name.rpartition(".")[0], *(name.translate(joints) for joints in _JOINTS)))
    for text in filter(None, map(str.strip, texts)):
        # Names of many files differ in their digits only: which patterns are worth a look is found once for all of
        # them.
        candidates = _candidates(_DIGIT.sub("0", text), compiled)
        spans, _ = reference.spans(text, candidates) if candidates else ([], ())
        for span in spans:
            rule = span.pattern.rule
            value = text[span.start : span.end]
            if rule.entity == "IP_ADDRESS" and (not routable(value) or versions([value])):
                continue
            found[rule.id] = rule
            # An ending may read as a part of a domain: jane@example.com.csv.
            kept = (value, value.rpartition(".")[0]) if text == name and name.endswith(value) else (value,)
            quiet = any(is_reserved(rule.entity, one) for one in kept)
            spoilt[rule.id] = spoilt.get(rule.id, False) or not quiet
    return tuple(FoundInName(rule, not spoilt[i]) for i, rule in found.items() if PII_CLASS[rule.entity] == "direct")


@cache
def _first_words(pattern: Pattern) -> frozenset[str]:
    return frozenset(phrase.split()[0] for phrase in pattern.phrases)


@of_words(1 << 16)
def _candidates(shape: str, compiled: CompiledRules) -> tuple[Pattern, ...]:
    """Return the patterns that may match in texts of this shape (every digit a 0), and whose phrase occurs in it."""
    digits, spoken = shape.count("0"), set(re.findall(r"[a-z]+", shape.lower()))
    found = [
        p
        for p in compiled.of("anywhere", "context")
        if p.fewest_digits <= digits
        and p.shortest <= len(shape)
        and (
            p.rule.search == "anywhere" or (not _first_words(p).isdisjoint(spoken) and reference.has_context(p, shape))
        )
    ]
    return tuple(p for p in found if not p.kinds or reference.compiled_regex(p.kinds).search(shape))
