"""Recognises texts that are one value as they stand, which no delimiter may cut."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache

from piiscan.core.caches import of_words

_LONGEST = 200
_DIGITS_AT_LEAST = 7
"""Groups of digits with fewer in all are more likely columns of small numbers than one number."""
_MONTH = (
    r"(?:jan|ene|gen|sty|f[eé][bv]|lut|m[aäá]r|mrt|mag|mei|may|mai|maj|kwi|a[pbv]r|avr|jun|jui|giu|cze|jul|lug|lip"
    r"|aug|ao[uû]|ago|sie|sep|set|wrz|o[ck]t|ott|out|pa[zź]|nov|lis|dec|dez|dic|d[eé]c|gru)[^\W\d]{0,9}\.?"
)
_WEEKDAY = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|mo|di|mi|do|fr|sa|so"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)"
)
_CLOCK = (
    r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\.?)?(?: "
    r"?(?:z|utc|gmt)?(?:[+-]\d{2}:?\d{2})?)?"
)
_DAY = (
    rf"(?:\d{{4}}(?P<y>[-/.])\d{{1,2}}(?P=y)\d{{1,2}}|\d{{1,2}}(?P<d>[-/.])\d{{1,2}}(?P=d)\d{{2,4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.|º)?[ -](?:de |of )?{_MONTH}(?: de)?,?[ -]\d{{2,4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
)
_CONTACT = r"(?:tel|sms|sips?|callto|whatsapp|mailto|xmpp):[^\s,;:|^¦§\"]+"
"""URIs of people's telephones and mailboxes."""
_CURRENCY = r"(?:[$€£¥₹₽]|zł|kr|usd|eur|gbp|chf|pln|jpy|cad|aud|sek|nok|dkk)"
_ARC = (
    r"[nsewo]? ?[-+]?\d{1,3}(?:[.,]\d+)?(?: ?(?:[°ºd: ]|deg) ?\d{1,2}(?:[.,]\d+)?(?: ?(?:['′m: ]) "
    r"?(?:\d{1,2}(?:[.,]\d+)?)?)?(?: ?(?:[\"″s]|''))?)? ?°? ?[nsewo]?"
)

# Written in a way that only one value is, in small letters: whoever cuts them is wrong.
_WHOLE = (
    r"[\w.+'%&-]+@(?:[\w-]+\.)+[^\W\d_]{2,}",  # e-mail
    r"[\w.+-]+ ?[\[({ ] ?at ?[\])} ] ?[\w-]+(?: ?[\[({ ] ?(?:dot|\.) ?[\])} ] ?[\w-]+)+",
    r"[^,;|@<>]{1,60} ?<[^\s@<>]+@[^\s@<>]+>",
    r"[a-z][a-z0-9+.-]*://[^\s,;|^¦§\"]+|www\.[^\s,;|^¦§\"]+",
    _CONTACT,
    r"(?:[0-9a-f]{2}[:-]){5,31}[0-9a-f]{2}",  # MAC, fingerprints
    r"(?=.*(?:[a-f]|::|\d{4}))(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?:/\d{1,3})?",  # IPv6
    r"(?=[^:]*(?::[^:]+)*::)(?:[0-9a-f]{0,4}:){2,7}(?:[0-9a-f]{0,4}|\d{1,3}(?:\.\d{1,3}){3})(?:%\w+)?(?:/\d{1,3})?",
    r"\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?:/\d{1,2})?",
    _CLOCK,
    r"\d{1,3}:[0-5]\d:[0-5]\d(?:[.,]\d+)?",
    rf"(?:{_WEEKDAY}\.?,? )?{_DAY}(?:[t ,]{{1,2}}{_CLOCK})?",
    r"\d{4}(?P<c>[ -])\d{4}(?P=c)\d{4}(?P=c)\d{1,4}(?:(?P=c)\d{1,4})?|\d{4}(?P<a>[ -])\d{6}(?P=a)\d{4,5}",  # cards
    r"%?b\d{12,19}\^[^^]{2,26}\^\d{4,}[^^]*\??|;?\d{12,19}=\d{4,}\??",  # magnetic stripes of cards
    r"[a-z]{2}\d{2}(?:[ -]?[a-z0-9]{4}){2,7}(?:[ -]?[a-z0-9]{1,4})?",  # IBAN
    r"(?:\+|00)\d{1,3}(?:[ ()./-]{0,3}\d){6,14}(?:[ ,;]{0,2}(?:x|ext\.?|#) ?\d{1,6})?",  # telephones
    r"\(\+?\d{1,5}\)(?:[ ./-]{0,3}\d){5,12}(?:[ ,;]{0,2}(?:x|ext\.?|#) ?\d{1,6})?",
    r"\d{3}[-. ]\d{3}[-. ]\d{4}[ ,;]{0,2}(?:x|ext\.?|#) ?\d{1,6}",
    r"\d{3}(?P<s>[- ])\d{2}(?P=s)\d{4}",  # SSN
    rf"[-+(]?(?:{_CURRENCY} ?[-+]?\d{{1,3}}(?:[ .,'’\u00a0\u202f]?\d{{3}})*(?:[.,]\d{{1,2}})?"
    rf"|\d{{1,3}}(?:[ .,'’\u00a0\u202f]?\d{{3}})*(?:[.,]\d{{1,2}})? ?(?:{_CURRENCY}|%))\)?",
    r"[-+]?\d{1,3}(?:,\d{3})+\.\d+|[-+]?\d{1,3}(?:\.\d{3})+,\d+",
    rf"(?=.*[°ºnsewo])(?=.*\d){_ARC}(?: ?[,;/ ] ?{_ARC})?",  # degrees
    r"\([-+\d.]+ ?[,;] ?[-+\d.]+\)|point ?\([-+\d. ]+\)",
    r"[\w@. -]*\*{2,}[\w@. -]*",  # masked
    r"\$\w+\$\S+",  # hashed passwords
)  # fmt: skip
# Written as one value usually is, and as two may be.
_LIKELY = (
    r"[-+]?\d+,\d+",
    r"[\w.+'%&-]+@[\w.-]+",
    r"[-+]?\d{1,3}(?:[, ]\d{3})+(?:[.,]\d+)?",
    r"[-+]?\d{1,3}[.,]\d+ ?[,; ] ?[-+]?\d{1,3}[.,]\d+",  # latitude and longitude
    # last name, first name
    r"[^\W\d][^\W\d_.'’-]*(?:[ -][^\W\d][\w.'’-]*){0,2}, [^\W\d][\w.'’-]*(?: [^\W\d][\w.'’-]*){0,2}",
)
# What a colon or an at sign is part of, within a longer text.
_WITHIN = (
    r"\d{1,2}/[a-z]{3}/\d{4}:(?=\d\d:)",  # the day before the time, in logs of servers
    r"[a-z][a-z0-9+.-]*://\S+",
    rf"\b{_CONTACT}",
    r"[\w.+'%-]+@(?:[\w-]+\.)+[^\W\d_]{2,}(?![\w./-])",
    r"[\w.+'%-]+(?: ?\([^()]*\)| ?[\[({]) ?@ ?[\])}]? ?[\w-]+(?: ?[\[({]? ?\. ?[\])}]? ?[\w-]+)*",
    r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b",
    _CLOCK,
    r"(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])",
)
_NESTED = 3
_OBJECT = re.compile(
    r"(?:[aO]:\d[\w:\"\\]*)?\{[^{}]*(?:[:=;]|->)[^{}]*\}"
    r"|(?<![\s,;|:])\([^()]*[^\W\d]\w*[\"']? ?[:=][^()]*\)"
    r"|(?<=\w)\[[^\[\]]*[^\W\d]\w*[:=][^\[\]]*\]"
    r"|\(\w*:\w[^()]*\)"
    r"|</?[^\W\d][\w.-]*:[\w.-]+[^<>]*>"  # tags
    r"|&#?\w{2,8};"
)
_OPENING = "{([<&"
_WITHIN_OBJECTS = (":", "=", ";", "->")
"""Each object has one of the former and one of the latter."""
_GROUPS = re.compile(r"\d+(?:[ -]\d+)+")


@cache
def _compiled(parts: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(part, re.IGNORECASE) for part in parts)


@cache
def _any_of(parts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(parts))


def is_whole(text: str) -> bool:
    """Whether a text is written as one value only: an e-mail address, a date in words, a card number in groups."""
    return len(text) <= _LONGEST and _any_of(_WHOLE).fullmatch(_small(text)) is not None


def _small(text: str) -> str:
    """The text in small letters, each one letter; a pattern that regards no case takes longer to compile."""
    return text.replace("İ", "i").lower()


def is_likely_whole(text: str) -> bool:
    """Whether a text is written as one value usually is: a decimal comma, coordinates, a last name before the first."""
    return is_whole(text) or (len(text) <= _LONGEST and _any_of(_LIKELY).fullmatch(text) is not None)


def without_parts(text: str) -> str:
    """The beginning of a text without the objects, times, addresses of nets and mail and the URLs in it."""
    text = without_objects(text)[:_LONGEST]
    for pattern in _compiled(_WITHIN):
        text = pattern.sub("", text)
    return text


def without_objects(text: str) -> str:
    """The beginning of a text without objects as programs write them: keys and their values in brackets."""
    text = text[: 10 * _LONGEST]
    if not any(mark in text for mark in _OPENING) or not any(mark in text for mark in _WITHIN_OBJECTS):
        return text  # found in a fraction of the time, as of most lines
    for _ in range(_NESTED):
        text = _OBJECT.sub("", text)
    return text


def is_grouped(texts: Sequence[str]) -> bool:
    """Whether texts are digits in groups of the same lengths throughout.

    Numbers of persons and telephone numbers are written like that.
    """
    shapes = {re.sub(r"\d", "9", text) for text in texts}
    return len(shapes) == 1 and all(
        _GROUPS.fullmatch(t) and sum(map(str.isdigit, t)) >= _DIGITS_AT_LEAST for t in texts
    )


def is_named(header: str) -> bool:
    """Whether a header names a rule."""
    from piiscan.rules.rule_sets import shipped

    return bool(shipped().rules.named(header))


def is_listed(texts: Sequence[str]) -> bool:
    """Whether the first of some texts and most of the others are in one shipped list of values.

    Such as "Price" among last names.
    """
    from piiscan.core.header_words import fold

    first, *others = texts
    lists = _lists_with(fold(first))
    if not lists:
        return False
    folded = list(map(fold, others))
    return any(2 * sum(text in known for text in folded) >= len(folded) for known in lists)


@of_words(1 << 12)
def _lists_with(text: str) -> tuple[frozenset[str], ...]:
    return tuple(known for known in _lists() if text in known)


@cache
def _lists() -> tuple[frozenset[str], ...]:
    from piiscan.rules.rule_sets import shipped

    return tuple(frozenset(rule.values) for rule in shipped().rules.rules if rule.values)


def is_of_rule(texts: Sequence[str], header: str | None = None, evident: bool = False) -> bool:
    """Whether one shipped rule matches (nearly) all of the texts as whole cells.

    It has to be one that `header` names, where given, and one whose matches need no header at all, where `evident`.
    """
    from piiscan.detection.matching.reference import matches_whole
    from piiscan.rules.rule_sets import shipped

    compiled = shipped()
    named = None if header is None else compiled.rules.named(header)
    few = texts[:60]
    lengths = sorted(map(len, few))
    for pattern in compiled.of("anywhere") if evident else compiled.of("anywhere", "context", "cell"):
        if named is not None and pattern.rule.id not in named:
            continue
        if bisect_right(lengths, pattern.longest) - bisect_left(lengths, pattern.shortest) < 0.9 * len(few):
            continue
        fitting = [text for text in few if pattern.shortest <= len(text) <= pattern.longest]
        if fitting and set(pattern.needs) <= set(fitting[0]):
            missed = len(few) - len(fitting)
            for text in fitting:
                missed += not (matches_whole(pattern, text) and pattern.rule.passes(text))
                if missed > 0.1 * len(few):
                    break
            else:
                return True
    return False
