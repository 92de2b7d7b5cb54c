"""Names that are no persons where they are: months and diseases that are called as people are."""

from __future__ import annotations

import re
from typing import Final

from piiscan.core.header_words import fold
from piiscan.masking.known.written_dates import months

_DISEASE: Final = re.compile(
    r"^['’]s?\s+(?:suspected|excluded|confirmed|diagnosed|unlikely|ruled out|in remission)\b"
    r"|^(?:['’]s?)?[\s-]+(?:disease|syndrome|test|sign|crisis|lymphoma|palsy|chorea|reflex|scale|score)\b"
    r"|^-?(?:syndrom|sjuk|krankheit|sygdom|zeichen|test)", re.IGNORECASE
)  # fmt: skip
_BEFORE_DISEASE: Final = re.compile(
    r"(?:\b(?:morbus|syndrome? d[eu]|maladie d[eu]|enfermedad de|s[ií]ndrome de|doença de|malattia di|morbo di|"
    r"sindrome di|ziekte van|syndroom van|choroba|zesp[oó]ł|nemoc|syndrom|boala|sindromul|болезнь|синдром|симптом)"
    r"|['’]s)\s+$",
    re.IGNORECASE,
)


_BEFORE_MONTH: Final = re.compile(
    r"\b(?:in|since|until|till|early|late|mid|last|next|im|seit|ab|bis|en|desde|hasta|em|nel|w|od|v|в|с|до)\s+$",
    re.IGNORECASE,
)
_DAY_BEFORE: Final = re.compile(r"(?<!\d)\d{1,2}\. ?$")
_BEHIND_MONTH: Final = re.compile(r"^[\s.,-]+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?(?:19|20)\d\d\b")
_TO: Final = r"\s+(?:to|and|until|or|bis|und|et|y|e|do|по)\s+"
_MONTH_TO: Final = re.compile(rf"([^\W\d_]+){_TO}\||\|{_TO}([^\W\d_]+)")


def is_month(text: str, start: int, end: int) -> bool:
    """Whether a month that is also a name is used as a month: next to a day, a year or another month, or after `in`."""
    if fold(text[start:end]) not in months():
        return False
    before, behind = text[max(0, start - 16) : start], text[end : end + 16]
    return bool(_BEFORE_MONTH.search(before) or _BEHIND_MONTH.match(behind)) or any(
        fold(word) in months() for pair in _MONTH_TO.findall(f"{before}|{behind}") for word in pair
    )


def is_day_of_month(text: str, start: int, end: int) -> bool:
    """Whether a word is a month behind a day with a full stop, as German and its like write it: "3. Juni"."""
    return fold(text[start:end]) in months() and _DAY_BEFORE.search(text[max(0, start - 8) : start]) is not None


def is_disease(text: str, start: int, end: int) -> bool:
    """Whether a name is part of the name of a disease."""
    before, behind = text[max(0, start - 24) : start], text[end : end + 24]
    return bool(_DISEASE.match(behind) or _BEFORE_DISEASE.search(before))
