r"""Values of a column in the form that most columns of their kind have, and in which the model has learned them.

A date behind a word ("Mon, 3 May 1982", "am 03.05.1982", "* 03.05.1982"), with a month in Roman numbers, with spaces
between, without any, or in milliseconds (`/Date(389232000000)/`) is the date. Names in one word ("frieda.lindqvist",
"FriedaLindqvist"), behind their domain (`CORP\frieda.lindqvist`) or at the head of a directory's entry
(`CN=Frieda Lindqvist,OU=…`) are two words. An address of mail with spaces around its sign has none. A column is read so
where most of its values are written so, words in one only where they begin with given names: identifiers of programs
are written so, too. 00 is the plus of telephones where all are possible.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.matching.identifiers_in_names import is_given
from piiscan.detection.text.birth_dates import births
from piiscan.rules.rule_sets import shipped

_LOOKED_AT: Final = 8
_LONGEST: Final = 200
_YEAR: Final = r"(?:1[89]|20)\d\d"
_MONTH: Final = r"[^\W\d_]{3,10}"
_ROMAN: Final = tuple("I II III IV V VI VII VIII IX X XI XII".split())
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DATE: Final = lazy_pattern(
    rf"""(?:\*\s?|\(|[^\W\d_]{{1,12}}(?:[.:]?,?\s|[.,:]))
         (?P<behind>\d{{4}}(?P<y>[-/.])\d{{1,2}}(?P=y)\d{{1,2}}|\d{{1,2}}(?P<d>[-/.])\d{{1,2}}(?P=d)(?:\d{{4}}|\d\d)
           |\d{{1,2}}\.?[ ]{_MONTH}\.?,?[ ]{_YEAR}|{_MONTH}\.?[ ]\d{{1,2}},?[ ]{_YEAR})
         (?P<time>,?[T ]\d{{1,2}}[:h.]\d\d.*)?\)?
       |(?P<day>\d{{1,2}})(?P<s>[-/. ]{{1,2}})(?P<roman>[IVX]{{1,4}})(?P=s)(?P<year>{_YEAR})
       |(?P<of>\d{{1,2}})(?:st|nd|rd|th|\.|º)?[ ](?:of|de)[ ](?P<month>{_MONTH})(?:,|[ ]del?)?[ ](?P<then>{_YEAR})
       |(?P<number>\d{{1,2}})(?P<name>[^\W\d_]{{3}})(?P<ends>{_YEAR})
       |(?P<spaced>\d{{1,2}}[ ](?P<m>[-/.])[ ]\d{{1,2}}[ ](?P=m)[ ]{_YEAR})
       |/Date\((?P<ms>-?\d{{1,14}})(?:[-+]\d{{4}})?\)/""",
    re.VERBOSE,
)
_JOINED: Final = lazy_pattern(
    r"(?:\w{2,15}\\)?(?:([^\W\d_]{2,20})[.-]([^\W\d_]{4,20})|([^\W\d_]\.)([^\W\d_]{4,20})"
    r"|([A-Z][a-z]{1,20})([A-Z][a-z]{2,20}))"
)
_ZONES: Final = frozenset(
    "internal local localdomain intranet corp cluster private staging info online shop site store cloud".split()
)
"""What names of machines end with: `grace.internal`."""
_DIRECTORY: Final = lazy_pattern(r"(?i)cn=([^,=+]+),\s?(?:ou|o|dc|c|cn|l)=.*")
_CALLED: Final = lazy_pattern(
    r"00(?:1[2-9]\d\d[2-9]\d{6}|7[3-9]\d{9}|(?:4[57]|53|65)[1-9]\d{7}|(?:3[26]|46|51|66)[1-9]\d{7,8}"
    r"|(?:27|3[134]|4[018]|56|61|84|9[34])[1-9]\d{8}|(?:20|6[04]|8[12]|95)[1-9]\d{8,9}|39[03]\d{8,9}"
    r"|(?:30|44|5[278]|63|9[0128])[1-9]\d{9}|(?:5[45]|86)[1-9]\d{9,10}|(?:4[39]|62)[1-9]\d{8,10}"
    r"|(?:2[1-69]\d|3[578]\d|42\d|50\d|59\d|6[789]\d|85\d|88\d|9[679]\d)[1-9]\d{6,8})$"
)
"""A telephone number in digits alone: codes of countries with as many digits as their numbers have (ITU-T E.164)."""
_MAIL: Final = lazy_pattern(r"[^\s@]+ ?@ ?[^\s@]+\.[^\s@]+")


def usual(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Texts as they are usually written, where most of the first few are written otherwise (telephones: all).

    >>> usual(("Mon, 3 May 1982", "Sun, 11 Nov 1979")), usual(("3.V.1982",)), usual(("A 3.5", "B 4"))
    (('3 May 1982', '11 Nov 1979'), ('3.5.1982',), ('A 3.5', 'B 4'))
    """
    first = texts[:_LOOKED_AT]
    if first[0].startswith("00") and _are_telephones(first):
        return tuple(f"+{text[2:]}" if _CALLED.match(text) else text for text in texts)
    if 2 * sum(_usual(text, surely=True) is not None for text in first) <= len(first):
        return texts
    return tuple(text if (plain := _usual(text)) is None else plain for text in texts)


def _are_telephones(texts: tuple[str, ...]) -> bool:
    """Whether all may be telephones with their countries' codes, and they don't count up, as orders do."""
    return all(_CALLED.match(text) for text in texts) and 2 * len({text[:-4] for text in texts}) > len(texts)


def _usual(text: str, surely: bool = False) -> str | None:
    """A text as it is usually written, None if it is. `surely`: None for other words in one than names, too."""
    if len(text) > _LONGEST or text.isdecimal():
        return None
    if (joined := _JOINED.fullmatch(text)) and ("-" not in text or text.islower()):
        parts = [part for part in joined.groups() if part]
        if parts[-1].lower() in _ZONES:
            return None
        return " ".join(parts) if not surely or is_given(parts[0]) else None
    if text[:3].lower() == "cn=":
        named = _DIRECTORY.fullmatch(text)
        return None if named is None else named[1]
    if "@" in text:
        return text.replace(" ", "") if " " in text and _MAIL.fullmatch(text) else None
    found = _DATE.fullmatch(text)
    if found is None or (found["behind"] and any(births(text, shipped().rules))):  # it says itself whose date it is
        return None
    return _date(found)


def _date(found: re.Match[str]) -> str | None:
    """The date that a text holds; at midnight its time says nothing."""
    if behind := found["behind"]:
        return behind if "00:00" in (time := found["time"] or "00:00") else behind + time
    if found["spaced"]:
        return found["spaced"].replace(" ", "")
    if found["roman"]:
        return (
            f"{found['day']}.{_ROMAN.index(found['roman']) + 1}.{found['year']}" if found["roman"] in _ROMAN else None
        )
    if found["month"]:
        return f"{found['of']} {found['month']} {found['then']}"
    if found["name"]:
        return f"{found['number']} {found['name']} {found['ends']}"
    try:
        return (_EPOCH + timedelta(milliseconds=int(found["ms"]))).date().isoformat()
    except OverflowError:
        return None
