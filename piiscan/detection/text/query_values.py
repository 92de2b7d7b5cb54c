"""Names and telephones of people behind keys, in queries of URLs and forms, and as programs write pairs.

`?name=Ann+Lee&tel=%2B49171…`, `first_name=Ann&last_name=Berg`; `lastName='Berg'`, `{first: Ann, last: Berg}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final
from urllib.parse import unquote, unquote_plus

from piiscan.core import shapes
from piiscan.core.caches import of_words
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text import birth_dates, key_value_pairs
from piiscan.detection.text.announced_persons import (
    ANY_NAME,
    LIKELY_SCORE,
    is_full_name,
    is_known,
    is_surely_family,
    is_surely_given,
    may_be_name,
)
from piiscan.detection.text.span import NAMED, Span
from piiscan.rules.definitions import Rule, RuleSet

SCORE: Final = 0.9
"""Set, not measured, as that of rules that count in any text."""
RULES: Final = ("person-name", "first-name", "last-name", "phone")
_ENTITIES: Final = ("PERSON", "FIRST_NAME", "LAST_NAME", "PHONE_NUMBER")
_ANY_NAME: Final = ("person-role", ANY_NAME)
"""Rules of keys that may name a firm or a product too: they count where the value is a full name."""
_SHORT: Final = {"first-name-short": "first-name", "last-name-short": "last-name"}
"""Rules of keys ("first", "last") that name parts of a name beside each other, and the rules that name them alone."""
_PERSON: Final = NAMED["PER"][1]
_PHONES: Final = "phone"
_LINK: Final = lazy_pattern(r"(?:\bwa\.me/|\bt\.me/\+|signal\.me/#p/)(?P<value>\+?[1-9]\d{7,14})(?!\d)")
"""Pages that begin a chat with a telephone."""
_IN_LINE: Final = f"[?&][A-Za-z][^=&]{{0,40}}=|{key_value_pairs.IN_LINE}|\\.me/"
MAY: Final = f"\n|{_IN_LINE}"
"""What a text has that may hold one."""
_PAIR: Final = lazy_pattern(
    r"(?:(?<=[?&])|(?<![^\s\"'(<:])(?=[^\s\"'<>]*&))(?P<key>[A-Za-z][\w.%\[\]-]{0,40})=(?P<value>[^&\s\"'<>#;]{2,200})"
)
_NAME: Final = re.compile(r"[^\W\d_]+(?:[ '’.-]{1,2}[^\W\d_]+)*\.?")
_PHONE: Final = re.compile(r"\+?[\d ().-]{7,22}")
_FEWEST: Final = 7
_PART_OF_ADDRESS: Final = lazy_pattern("[0-9A-Fa-f]{1,4}")
"""Of a device or a network (`fe80:`)."""
_NOBODY: Final = frozenset(
    """
    null none nil undefined true false test admin anonymous string text varchar required optional missing invalid
    unknown empty varchar nvarchar integer char pflichtfeld obligatoire obligatorio verplicht
    """.split()
)


def query_values(text: str, rules: RuleSet) -> Iterator[Span]:
    """The values of queries that their keys call names or telephones, in the order of their places."""
    if (rule := rules.by_id.get(_PHONES)) is not None:
        for link in _LINK.finditer(text) if "/" in text else ():
            yield _span(rule, *link.span("value"))
    if "=" not in text or ("?" not in text and "&" not in text):
        return
    for found in _PAIR.finditer(text):
        rule, value = _named(rules, unquote_plus(found["key"])), found["value"]
        if rule is not None and _fits(rule, plain(rule.entity, value)):
            yield _span(rule, *found.span("value"))


def plain(entity: str, value: str) -> str:
    """What a value says that may be written as in a query; a plus is a blank in names and telephones alone."""
    if "%" not in value and ("+" not in value[1:] or entity not in _ENTITIES):
        return value
    return unquote(value) if "%2B" in value.upper() or entity not in _ENTITIES else unquote_plus(value)


def pair_values(text: str, rules: RuleSet) -> Iterator[Span]:
    """The values of pairs that their keys call names of persons, parts of such, or dates of birth."""
    short: list[tuple[Rule, int, int]] = []
    alone: list[tuple[int, int]] = []
    whole: set[str] = set()
    for rule, start, end in key_value_pairs.pairs(text, partial(_names_part, rules)):
        if rule.id in _SHORT:
            short.append((rule, start, end))
            continue
        if rule.id == ANY_NAME:
            alone.append((start, end))
            continue
        if rule.id == birth_dates.RULE:
            if birth_dates.is_day(text[start:end]):
                yield Span(start, end, rule.entity, rule.subtype, rule.id, SCORE)
        elif _is_part(rule, text[start:end]):
            whole.add(rule.id)
            yield _person(rule, rules, text, start, end) if rule.entity == "PERSON" else _span(rule, start, end)
    yield from _other_parts(alone, whole, text, rules)
    if _are_of_names(short, whole, text):
        for rule, start, end in short:
            rule = rules.by_id.get(_SHORT[rule.id], rule)
            if _is_part(rule, text[start:end]):
                yield _span(rule, start, end)


def _other_parts(alone: Sequence[tuple[int, int]], whole: set[str], text: str, rules: RuleSet) -> Iterator[Span]:
    """The values of keys that say no more than "name", beside those for one part of a name: they are the other part."""
    parts = set(_SHORT.values())
    if len(whole & parts) != 1 or (rule := rules.by_id.get(*(parts - whole))) is None:
        return
    yield from (_span(rule, start, end) for start, end in alone if _is_part(rule, text[start:end]))


def _are_of_names(short: Sequence[tuple[Rule, int, int]], whole: set[str], text: str) -> bool:
    """Whether short keys name parts of names: beside a key of the other part that names nothing else, or by a value."""
    parts = {_SHORT[rule.id] for rule, _, _ in short}
    if len(parts) == 1 and (whole - parts) & set(_SHORT.values()):
        return True
    return len(parts) == len(_SHORT) and any(
        (is_surely_given if _SHORT[rule.id] == "first-name" else is_surely_family)(text[start:end])
        for rule, start, end in short
    )


def _person(rule: Rule, rules: RuleSet, text: str, start: int, end: int) -> Span:
    """A person, by the rule of the recogniser, which finds the same ones in sentences.

    Firms are customers, too: without a given name it is likely.
    """
    known = any(map(is_surely_given, re.split("[ ,-]+", text[start:end])))
    span = _span(rules.by_id.get(_PERSON, rule), start, end)
    return span if known else replace(span, score=LIKELY_SCORE)


def names_of_any(text: str, rules: RuleSet) -> Iterator[bool]:
    """Whether the value of each key that anything, or a firm, may have (`name`, `customer_name`) is a full name."""
    for found in _PAIR.finditer(text) if "=" in text else ():
        if (rule := _named(rules, unquote_plus(found["key"]))) is not None and rule.id == ANY_NAME:
            yield is_full_name(unquote_plus(found["value"]))
    for _, start, end in key_value_pairs.pairs(text, partial(_names_any, rules)):
        yield is_full_name(text[start:end])


def have_keys(texts: Sequence[str], rules: RuleSet) -> bool:
    """Whether some texts have a key that names telephones, persons, parts of names, or anything; or a link to a chat.

    Now and then one that spans two of the texts counts.
    """
    numbered = False

    def named(key: str) -> Rule | None:
        return _named(rules, key) or _names_part(rules, key)

    def named_by_letters(key: str) -> Rule | None:
        nonlocal numbered
        if "9" in key:
            numbered = numbered or _PART_OF_ADDRESS.fullmatch(key) is None
            return None
        return named(key)

    lines = [text for text in texts if "\n" not in text]
    # Which digit of ASCII it is matters to keys alone, and with nines times and addresses of pages become few.
    if _have_keys("\n".join(dict.fromkeys(shapes.of_each(lines, shapes.with_nines))), named_by_letters):
        return True
    if numbered and _have_keys("\n".join(lines), named):
        return True
    return len(lines) < len(texts) and any(_have_keys(text, named) for text in texts if "\n" in text)


def _have_keys(text: str, named: Callable[[str], Rule | None]) -> bool:
    if _LINK.search(text) is not None or any(
        named(unquote_plus(found["key"])) for found in (_PAIR.finditer(text) if "=" in text else ())
    ):
        return True
    return next(key_value_pairs.pairs(text, named), None) is not None


def may_be_in(texts: Sequence[str]) -> bool:
    """Whether some texts may hold a value behind a key."""
    lines = "\n".join(texts)
    if lines.count("\n") >= len(texts) > 0:
        return True
    signs = [pattern for sign, pattern in _SIGNS if sign in lines]
    if not signs:
        return False
    alike = "\n".join(dict.fromkeys(shapes.of_each(texts, shapes.with_nines)))  # no sign is told by a digit
    return any(sign.search(alike) is not None for sign in signs) and _MAY_IN_LINE.search(lines) is not None


_MAY_IN_LINE: Final = lazy_pattern(_IN_LINE)
_VALUE: Final = r"[=>]?[ ]?(?:[^\W\d_]|[\"'\\])"
_SIGNS: Final = tuple(
    (sign, lazy_pattern(re.escape(sign) + behind))
    for sign, behind in (
        ("=", _VALUE),
        (":", _VALUE),
        ("&", "[A-Za-z]"),
        ("?", "[A-Za-z]"),
        ("->", _VALUE),
        ("</", r"[^\W\d_]"),
        ("--", r"[^\W\d_]"),
        ("'", ""),
        ('"', ""),
        (".me/", ""),
        ("{", "[a-z_]"),
        ("...", ""),
        ("→", ""),
        (" from ", ""),
        ("rom `", ""),
        ("value=", ""),
        ("]></", ""),
        (" | ", ""),
        ("\t", ""),
        (")", r"(?: ?(?:VALUE|value)|=\()"),
    )
) + ((" ", lazy_pattern(r"[a-z](?:_[a-z]+|[A-Z][a-z]+)>? +[A-Z]")),)
"""Signs one of which each match of `_MAY_IN_LINE` has in it, with what follows: they are found faster than letters."""


def _span(rule: Rule, start: int, end: int) -> Span:
    return Span(start, end, rule.entity, rule.subtype, rule.id, LIKELY_SCORE if rule.id == ANY_NAME else SCORE)


def _fits(rule: Rule, value: str) -> bool:
    if rule.entity == "PHONE_NUMBER":
        return _PHONE.fullmatch(value) is not None and sum(map(str.isdigit, value)) >= _FEWEST
    if not _is_of_letters(value):
        return False
    return rule.id not in _ANY_NAME or is_full_name(value)


def _is_of_letters(value: str) -> bool:
    return _NAME.fullmatch(value) is not None and value.lower() not in _NOBODY


def _is_part(rule: Rule, value: str) -> bool:
    """Whether a value is a name as its key says, and not a word of a program, a form or another language."""
    value = value.replace(", ", " ")
    if not _is_of_letters(value) or not may_be_name(value):
        return False
    words = re.split("[ -]", value)
    known = any(map(is_known, words))
    if rule.entity == "PERSON" and not known:
        return len(words) > 1 and all(word[0].isupper() for word in words)
    return known or not words[0][0].islower()


@of_words(1 << 12)
def _names_part(rules: RuleSet, key: str) -> Rule | None:
    """The rule that a key names, of those for names of persons, for parts of them, and for dates of birth.

    Of one word, also that for names of anything: beside a part of a name it is the other part ("Name", "Vorname").
    """
    named = rules.named(key)
    ids = (*RULES[:3], *_SHORT, birth_dates.RULE, *((ANY_NAME,) if key.isalpha() and key[1:].islower() else ()))
    return next((rules.by_id[rule] for rule in ids if rule in named and rule in rules.by_id), None)


@of_words(1 << 12)
def _names_any(rules: RuleSet, key: str) -> bool:
    rule = _named(rules, key)
    return rule is not None and rule.id in (ANY_NAME, RULES[0])


@of_words(1 << 12)
def _named(rules: RuleSet, key: str) -> Rule | None:
    """The rule that a key names, of those for names and telephones; a key that may name anything says nothing."""
    named = rules.named(key)
    return next((rules.by_id[rule] for rule in (*RULES, *_ANY_NAME) if rule in named and rule in rules.by_id), None)
