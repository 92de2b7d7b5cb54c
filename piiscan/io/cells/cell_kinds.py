"""What single cells look like: numbers, dates, addresses, codes, flags or text."""

from __future__ import annotations

import re

_DIGIT = re.compile(r"\d")


_NUMBER = re.compile(r"[-+(]?\s?[$€£¥]?\s?[-+]?\d[\d.,' \u00a0]*(?:[eE][-+]?\d+)?\s?[%)€$£]?")


_DATE = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T ].*)?|\d{1,2}[- ][A-Za-z]{3,9}[- ,]+\d{2,4}|[A-Za-z]{3,9} \d{1,2},? \d{4}"
)


_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?")


_EMAIL = re.compile(r"[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+")


_URL = re.compile(
    r"(?:[a-z][a-z0-9+]*://|www\.)\S+|(?:[a-z0-9_-]+\.)+(?:com|org|net|gov|edu|io|de|fr|it|uk|eu)", re.IGNORECASE
)


_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{32,}")


_MISSING = frozenset(("na", "n/a", "null", "none", "nan", "\\n", "-", "?", "--", "true", "false", "yes", "no"))


_LONGEST_FLAG = max(map(len, _MISSING))
_SHORTEST_UUID = 32


def kind(cell: str) -> str:
    """What a cell looks like: "", number, date, email, url, code (letters and digits), flag or text."""
    text = cell.strip()
    if not text:
        return ""
    if len(text) <= _LONGEST_FLAG and text.casefold() in _MISSING:
        return "flag"
    if text.isdecimal():
        return "number"
    if text.isalpha() and len(text) < _SHORTEST_UUID:
        return "text"
    return _kind_by_signs(text)


def _kind_by_signs(text: str) -> str:
    has_digit = _DIGIT.search(text) is not None  # as numbers, dates and times have
    if has_digit and _NUMBER.fullmatch(text):
        return "number"
    if has_digit and (_DATE.fullmatch(text) or _TIME.fullmatch(text)):
        return "date"
    if "@" in text and _EMAIL.fullmatch(text):
        return "email"
    if ("." in text or "://" in text) and _URL.fullmatch(text):
        return "url"
    if len(text) >= _SHORTEST_UUID and _UUID.fullmatch(text):
        return "code"
    digits = len(_DIGIT.findall(text)) if has_digit else 0
    return "code" if digits >= 3 and digits * 3 >= len(text) else "text"
