"""Ages over 89 in texts: "91-year-old", "93 ans", "94 года", "Alter: 91".

So few people reach them that they identify a person; 45 CFR 164.514(b)(2)(i)(C) makes them one group.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

AGE: Final = "AGE"
_OLD: Final = r"(?:9\d|1[01]\d)"
_AN_OLD: Final = re.compile(_OLD)
_BEHIND: Final = (
    r"years?|yrs?|y\s?/\s?o|y\.\s?o\.?|yo|jahren?|jähr\w*|jahre?|ans|años|anni|enne|anos|jaar|jarige?|år|år(?:ig|ing)\w*|"
    r"lat|letni\w*|lett?|letou?|let[ýáé]\w*|rokov|ročn\w*|(?:de\s)?ani|év(?:es)?|vuotias|vuotta|vuoden|yaş\w*|год\w*|лет\w*|"
    r"рок(?:и|ів)|річн\w*|години|ετών|χρον\w*|tahun|tuổi|歳|才|岁|歲|세|ปี|वर्ष|साल|سنة|عاما|שנים"
)
_BEFORE: Final = (
    r"aged?|alter|âgée?|âge|edad|età|idade|leeftijd|ålder|alder|wiek|wieku|věk|vek|vârst[aă]|életkor|ikä|yaşı?|возраст|вік|"
    r"възраст|ηλικία|usia|umur|tuổi|年齢|年龄|年齡|나이|อายุ|आयु|उम्र|العمر|גיל"
)
_WRITTEN: Final = re.compile(
    rf"(?<![\w.,/:-])(?P<a>{_OLD})(?=[\s\u00a0]?[-\u2010\u2011]?[\s\u00a0]?(?:{_BEHIND})(?!\w))"
    rf"|(?<!\w)(?:{_BEFORE})[\s\u00a0]*[:=]?[\s\u00a0]*(?:of\s|von\s|de\s|van\s|di\s)?(?P<b>{_OLD})(?![\w]|[.,/:-]\d)",
    re.IGNORECASE,
)


class WrittenAge(NamedTuple):
    """The position of an age in a text; `entity` and `score` as spans of the recogniser have them."""

    start: int
    end: int
    entity: str = AGE
    score: float = 1.0


def ages_over_89(text: str) -> list[WrittenAge]:
    """The numbers of years that say how old somebody of 90 or more is.

    >>> [text[a.start : a.end] for text in ("a 91-year-old", "93 ans", "89 ans") for a in ages_over_89(text)]
    ['91', '93']
    """
    if _AN_OLD.search(text) is None:  # as in most texts, which takes a fraction of the time
        return []
    return [WrittenAge(*m.span("a" if m["a"] else "b")) for m in _WRITTEN.finditer(text)]
