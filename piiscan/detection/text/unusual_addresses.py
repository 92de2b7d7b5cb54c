"""E-mail addresses that no pattern of a rule matches.

With letters outside ASCII (RFC 6531), signs in brackets, or blanks around the @: "анна@пример.рф", "用户@例子.中国";
"ann[@]mail[.]org", "ann (ät) mail (punkt) org", "ann -at- mail -dot- org"; "ann @ mail.org".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.signs import Signs
from piiscan.detection.text.span import Span
from piiscan.rules.definitions import RuleSet

RULE: Final = "email"
SCORE: Final = 0.9
"""Set, not measured, as that of rules that count in any text."""
_AT: Final = r"(?: ?[\[({<] ?(?:at|@|ät|arroba|chez|malpa) ?[\])}>] ?| ?-at- ?)"
_DOT: Final = r"(?:\.| ?[\[({<] ?(?:dot|\.|punkt|point|punto|kropka) ?[\])}>] ?| ?-dot- ?)"
_ENDS: Final = (
    "com|org|net|edu|gov|info|biz|eu|de|at|ch|li|fr|be|nl|lu|it|es|pt|uk|ie|pl|cz|sk|hu|ro|bg|gr|si|hr|rs|se|no|dk|fi"
    "|is|ee|lv|lt|ru|ua|by|tr|il|in|pk|lk|bd|cn|hk|tw|jp|kr|sg|my|th|vn|ph|id|au|nz|ca|us|mx|br|ar|cl|pe|co|za|ng|ke"
)
"""Top-level domains of addresses with blanks around their signs: other words may stand behind a full stop."""
MAY: Final = rf"[^\x00-\x7F][^\s@]{{0,64}}@|@[^\s@]{{0,64}}[^\x00-\x7F]|(?i:[a-z0-9]{_AT}[a-z0-9])|\w ?@ [a-zA-Z]"
"""What a text has that may hold one."""
_MAY: Final = lazy_pattern(MAY)
_SIGNS: Final = Signs(
    ("@ ", "-at-", *(f"{mark}{at}" for mark in "[({<" for at in ("at", "@", "ät", "arroba", "chez", "malpa", " ")))
)
"""Of what may be searched for, what is found faster."""
_INTERNATIONAL: Final = lazy_pattern(
    r"(?<![\w.+@-])\w[\w.+'-]{0,63}@(?:[^\W\d_][\w-]{0,62}\.){1,4}(?:[^\W\d_]{2,24}|xn--[\w-]{2,59})(?![\w@])"
)
_DISGUISED: Final = lazy_pattern(
    rf"(?<![\w.+@-])[a-z0-9][\w.+]{{0,63}}{_AT}(?:[a-z0-9][a-z0-9]{{0,62}}{_DOT}){{1,4}}[a-z]{{2,24}}(?![\w@])",
    re.IGNORECASE,
)
_APART: Final = lazy_pattern(
    r"(?<![\w.+@-])(?![\d.+-]+ )[a-z0-9][\w.+-]{0,63} ?@ "
    rf"(?:[a-z][a-z0-9-]{{0,62}}\.){{1,3}}(?:{_ENDS})(?![\w@-]|\.\w)",
    re.IGNORECASE,
)


def unusual_addresses(text: str, rules: RuleSet) -> Iterator[Span]:
    """Such addresses in a text, those of either kind in the order of their places."""
    if not may_be_in(text) or (rule := rules.by_id.get(RULE)) is None:
        return
    for pattern in (_INTERNATIONAL, _DISGUISED, _APART):
        for found in pattern.finditer(text):
            if pattern is not _INTERNATIONAL or not found[0].isascii():
                yield Span(*found.span(), rule.entity, rule.subtype, rule.id, SCORE)


def may_be_in(text: str) -> bool:
    """Whether a text, or lines of some, may hold such an address."""
    if "@" in text and not text.isascii():
        return _MAY.search(text) is not None
    return _SIGNS.are_in(text.lower()) and _MAY.search(text) is not None
