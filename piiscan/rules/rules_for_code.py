"""Rules of names, for literals of source code: what an assignment gives a name is what a header says of a cell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from piiscan.core import header_words
from piiscan.rules.definitions import RuleSet

_NAMED: Final = ("password", "secret-named")
"""Rules that headers alone can name."""
_LONGEST: Final = 200
_KEY: Final = re.compile(r"[A-Za-z0-9_+/=.~:-]{16,}")
_WORDS: Final = re.compile(r"\W*[^\W\d_]*\d{0,2}(?:[\W_]+[^\W\d_]*\d{0,2})*")
"""Words, each with two digits behind it at most: names of fields, messages, versions, weak passwords."""
_PLACEHOLDER: Final = re.compile(
    r"[$%{<]|[./~]|.*(?:[$#%]?\{|\$\(|://|\*\*\*|\.\.\.|example|change.?me|placeholder|dummy|your[_-]|redacted|xxx|1234)",
    re.IGNORECASE,
)


def marker(rule: str) -> str:
    """What a reader of source code writes beside a literal that a name says so much of."""
    return f"[a literal that is a {rule} by its name]"


@lru_cache(maxsize=4)
def for_code(rules: RuleSet) -> RuleSet:
    """The rules, of which those of names find the literals that a reader has marked."""
    return RuleSet(
        tuple(
            replace(rule, pattern="".join(rf"\x{ord(c):02x}" for c in marker(rule.id)), search="anywhere", check=None)
            if rule.id in _NAMED
            else rule
            for rule in rules.rules
        ),
        rules.selected,
        rules.ignored,
    )


def reader(rules: RuleSet | None) -> Callable[[str, str], str]:
    """A function that says which marker a literal has by its name; "" for none."""

    @lru_cache(1 << 14)
    def said(name: str) -> str:
        """The rule that the end of a name speaks of: of `password_hint` none."""
        if rules is None:
            return ""
        words = header_words.tokens(name)
        while words and words[-1].isdigit():
            words = words[:-1]
        named = rules.named(" ".join(words))
        ends = {rule for start in range(len(words)) for rule in rules.naming(" ".join(words[start:]))[0]}
        return next((rule for rule in _NAMED if rule in named & ends), "")

    def read(name: str, value: str) -> str:
        rule = said(name) if _is_secret(value) else ""
        return marker(rule) if rule == "password" or (rule and _KEY.fullmatch(value)) else ""

    return read


def _is_secret(value: str) -> bool:
    """Whether a literal looks made up by somebody or by chance, and not like a word, a message, or a place to fill.

    >>> [_is_secret(v) for v in ("Hunter2x!9kLm", "changeme", "password1", "oauth2_token", "${DB_PASSWORD_1}")]
    [True, False, False, False, False]
    """
    if not 6 <= len(value) <= _LONGEST or any(map(str.isspace, value)):
        return False
    mixed = any(map(str.isalpha, value)) and any(map(str.isdigit, value))
    return mixed and not _WORDS.fullmatch(value) and not _PLACEHOLDER.match(value)
