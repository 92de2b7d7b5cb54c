"""Names and telephones of people in the queries of URLs: "?name=Ann+Lee&tel=%2B49171…", "&first_name=Ann"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote, unquote_plus

from piiscan.core.caches import of_words
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.announced_persons import is_given
from piiscan.detection.text.span import Span
from piiscan.rules.definitions import Rule, RuleSet

SCORE: Final = 0.9
"""Set, not measured, as that of rules that count in any text."""
RULES: Final = ("person-name", "first-name", "last-name", "phone")
_ENTITIES: Final = ("PERSON", "FIRST_NAME", "LAST_NAME", "PHONE_NUMBER")
_ANY_NAME: Final = "name"
"""A key that may name a product too: it counts where the value is a full name."""
MAY: Final = "[?&][A-Za-z][^=&]{0,40}="
"""What a text has that may hold one."""
_PAIR: Final = lazy_pattern(r"(?<=[?&])(?P<key>[A-Za-z][\w.%\[\]-]{0,40})=(?P<value>[^&\s\"'<>#;]{2,200})")
_NAME: Final = re.compile(r"[^\W\d_]+(?:[ '’.-]{1,2}[^\W\d_]+)*\.?")
_PHONE: Final = re.compile(r"\+?[\d ().-]{7,22}")
_FEWEST: Final = 7
_NOBODY: Final = ("null", "none", "undefined", "true", "false", "test", "admin", "anonymous")


def query_values(text: str, rules: RuleSet) -> Iterator[Span]:
    """The values of queries that their keys call names or telephones, in the order of their places."""
    if "=" not in text or ("?" not in text and "&" not in text):
        return
    for found in _PAIR.finditer(text):
        rule, value = _named(rules, unquote_plus(found["key"])), found["value"]
        if rule is not None and _fits(rule, plain(rule.entity, value)):
            yield Span(*found.span("value"), rule.entity, rule.subtype, rule.id, SCORE)


def plain(entity: str, value: str) -> str:
    """What a value says that may be written as in a query: of names and telephones, others stay."""
    if entity not in _ENTITIES or ("%" not in value and "+" not in value[1:]):
        return value
    return unquote(value) if "%2B" in value.upper() else unquote_plus(value)


def _fits(rule: Rule, value: str) -> bool:
    if rule.entity == "PHONE_NUMBER":
        return _PHONE.fullmatch(value) is not None and sum(map(str.isdigit, value)) >= _FEWEST
    if _NAME.fullmatch(value) is None or value.lower() in _NOBODY:
        return False
    words = value.split()
    return rule.id != _ANY_NAME or (len(words) > 1 and is_given(words[0]) and all(word[0].isupper() for word in words))


@of_words(1 << 12)
def _named(rules: RuleSet, key: str) -> Rule | None:
    """The rule that a key names, of those for names and telephones; a key that may name anything says nothing."""
    named = rules.named(key)
    return next((rules.by_id[rule] for rule in (*RULES, _ANY_NAME) if rule in named and rule in rules.by_id), None)
