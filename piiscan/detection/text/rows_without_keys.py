"""Persons in rows that a cell or a line consists of, without keys: `7|Ann|Berg`, `Berg;Ann;1982-03-04`, `(7,Ann,Berg)`.

Composites of PostgreSQL, values of statements that list no columns, lines of exports. Words between marks may be
anything (towns, makes, products), so two neighbours count as a given and a family name only in a row with a number or a
date, where both are known as names, or one is and the other isn't known at all. The latter is likely, as products have
names, too (`4711;Luisa;…`): it is sure beside a day long past, an address of mail or a telephone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text import birth_dates
from piiscan.detection.text.announced_persons import LIKELY_SCORE, is_surely_given, lists_of
from piiscan.detection.text.name_words import are_other
from piiscan.detection.text.span import NAMED, Span
from piiscan.detection.text.token_features import In
from piiscan.rules.definitions import RuleSet

MAY: Final = r"[|;~^,\t](?:[A-Za-z]|[^\x00-\x7f])"
"""What a text has that may hold one."""
SIGNS: Final = ("|", ";", "~", "^", "\t", ",")
"""Of what may be searched for, what is found faster."""
_SCORE: Final = 0.95
_NO_GIVEN: Final = In.CITY | In.COUNTRY | In.TIME | In.KNOWN | In.PEOPLE | In.ORGANISATION
_PERSON, _RULE = NAMED["PER"]
_LONGEST: Final = 600
_MOST: Final = 60
_SHORTEST: Final = 3
_MARKS: Final = ("|", "\t", ";", "~", "^", ",")
_LIST: Final = lazy_pattern(
    r"(?:\A|values?\s{0,3}|row contains |row[ ]?)"
    r"\((?P<row>(?:[^()'\"\r\n]|'(?:[^']|'')*+'|\"[^\"]*+\"){5,500}+)\)(?:;?\s*\Z|[.;,])",
    re.IGNORECASE,
)
"""A composite, or the values of a statement."""
_FIELDS: Final = lazy_pattern(r"(?:[^,'\"]|'(?:[^']|'')*+'|\"[^\"]*+\")++|(?<=,)(?=,)")
_BARE: Final = re.compile(r"[^\s\"'].*[^\s\"']|[^\s\"']")
_LINE: Final = re.compile(r"[^\r\n]+")
_NAME: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-])+(?: (?:[^\W\d_]|['’.-])+){0,3}")
_PAST: Final = re.compile(
    r"(?:19\d\d|200\d|201[0-2])[./-]?\d\d[./-]?\d\d|\d\d?[./-]\d\d?[./-](?:19\d\d|200\d|201[0-2])"
)
"""A day so long past that it is that of a birth rather than of an order."""
_PHONE: Final = re.compile(r"\+\d[\d ()./-]{7,18}\d")


class _Field(NamedTuple):
    text: str
    start: int


def names_in_rows(text: str, rules: RuleSet) -> Iterator[Span]:
    """The names in the rows that a text consists of, or that are listed in it as values."""
    if "(" in text and ")" in text and (found := _LIST.search(text)) is not None:
        yield from _named([_bare(f[0], f.start()) for f in _FIELDS.finditer(text, *found.span("row"))], rules)
        return
    for n, line in enumerate(_LINE.finditer(text)):
        if n >= _MOST:
            return
        if len(line[0]) <= _LONGEST and (mark := _mark_of(line[0])):
            start, fields = line.start(), []
            for part in line[0].split(mark):
                fields.append(_bare(part, start))
                start += len(part) + 1
            yield from _named(fields, rules)


def _mark_of(line: str) -> str:
    """What divides a line into cells; blanks stand behind no mark, as they do behind those of sentences."""
    for mark in _MARKS:
        if mark in line and f"{mark} " not in line.replace(f" {mark} ", mark):
            return mark
    return ""


def _bare(text: str, start: int) -> _Field:
    found = _BARE.search(text)
    return _Field("", start) if found is None else _Field(found[0], start + found.start())


def _named(fields: Sequence[_Field], rules: RuleSet) -> Iterator[Span]:
    """The names in a row, and days that are of their births then."""
    found = list(_names(fields, rules))
    yield from found
    if any(span.score >= _SCORE for span in found):
        yield from _births(fields, rules)


def _names(fields: Sequence[_Field], rules: RuleSet) -> Iterator[Span]:
    if not 2 <= len(fields) <= _MOST or not any(map(_has_digits, fields)):
        return
    is_sure = any(map(_tells, fields))
    n = 0
    while n < len(fields):
        pair = fields[n : n + 2]
        if _is_full_name(fields[n].text):
            if (rule := rules.by_id.get(_RULE)) is not None:
                sure = is_sure or _is_surely_family(fields[n].text.split()[-1])
                yield _span(fields[n], rule.id, _PERSON, sure)
        elif len(pair) > 1 and (order := _order(pair[0].text, pair[1].text)):
            sure = is_sure or any(_is_surely_family(one.text) for one in pair)
            for one, id_ in zip(pair, order, strict=True):
                if (rule := rules.by_id.get(id_)) is not None:
                    yield _span(one, rule.id, rule.entity, sure)
            n += 1
        n += 1


def _births(fields: Sequence[_Field], rules: RuleSet) -> Iterator[Span]:
    rule = rules.by_id.get(birth_dates.RULE)
    for field in fields:
        if rule is not None and _PAST.fullmatch(field.text):
            yield _span(field, rule.id, rule.entity, True)


def _span(field: _Field, rule: str, entity: str, sure: bool) -> Span:
    span = Span(field.start, field.start + len(field.text), entity, None, rule, _SCORE)
    return span if sure else replace(span, score=LIKELY_SCORE)


def _has_digits(field: _Field) -> bool:
    return any(map(str.isdigit, field.text))


def _tells(field: _Field) -> bool:
    """Whether a cell is what rows of persons have."""
    text = field.text
    return "@" in text or _PAST.fullmatch(text) is not None or _PHONE.fullmatch(text) is not None


def _is_full_name(text: str) -> bool:
    """Whether a cell is a given and a family name that are known, or the first one alone."""
    words = text.split(" ")
    return len(words) > 1 and _may_be_name(text) and not are_other(words) and _are_names(words[0], words[-1])


def _order(one: str, other: str) -> tuple[str, str] | None:
    """Which of two neighbours is the given name; None where they aren't a given and a family name."""
    if " " in one + other or one == other or not (_may_be_name(one) and _may_be_name(other)) or are_other([one, other]):
        return None
    if _are_names(one, other):
        return "first-name", "last-name"
    return ("last-name", "first-name") if _are_names(other, one) else None


def _are_names(given: str, family: str) -> bool:
    """Whether a word is a given name, and no town, and another one may be a family name: it isn't known as a word."""
    if not is_surely_given(given) or lists_of(given) & _NO_GIVEN:
        return False
    return _is_surely_family(family) or not lists_of(family) & ~In.RARE_FAMILY


def _is_surely_family(word: str) -> bool:
    found = lists_of(word)
    return bool(found & In.FAMILY) and not found & (_NO_GIVEN | In.COMMON | In.GIVEN)


def _may_be_name(text: str) -> bool:
    """Whether a cell may be a name, or a part of one; codes of two letters are too many."""
    return len(text) >= _SHORTEST and text[0].isupper() and _NAME.fullmatch(text) is not None
