"""Forms whose labels stand above what was filled in, or before it: `Last name:` and, in the line below, `Kernweiler`.

Texts are read line by line, in which a value has no label, or not those of the lines around it, which say whose it is;
so each label that the rules know is a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from piiscan.core.caches import of_words
from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.io.documents.amid_text import Part, header_of, lines_of, records_and_lines
from piiscan.io.messages.records import EMPTY, Notation, Place, Record, Span, plain, written_in_line

_LABEL: Final = lazy_pattern(
    r"[ \t]{0,40}(?:[-*•] |\d{1,2}[.)] )?(?P<label>[^\W\d_][^\r\n:：,;|\t=<>(){}\[\]\"]{1,40}?)[ \t]*"
    r"(?P<colon>[:：])?[ \t]*"
)
_IN_VALUE: Final = r"=<>{}\[\];|\\:：\r\n"
"""What a value lacks, colons before digits aside."""
_VALUE: Final = lazy_pattern(
    rf"[ \t]{{0,40}}(?P<value>(?:[^\s{_IN_VALUE}\"](?:[^{_IN_VALUE}\"]|[:：]\d){{0,98}})?[^\s{_IN_VALUE}])[ \t]*"
)
_IN_LINE: Final = lazy_pattern(
    r"[ \t>]{0,40}(?:[-*•] |\d{1,2}[.)] )?(?P<mark>\*\*|__|)(?P<label>[^\W\d_][^\r\n:：,;|\t=<>(){}\[\]\"*.…]{1,40}?)"
    r"(?:(?P=mark)[ \t]?[:：]|[:：](?P=mark)|[ \t]?(?:\.{3,}|…{2,})[:：]?)(?P<value>(?:[ \t][^\r\n]*)?)"
)
"""A label, a colon or dots behind it, and the value."""
_FEWEST, _FEWEST_BARE = 2, 3
"""Labels of persons that a form has one below the other, with colons and without."""
_APART: Final = 4
"""Lines from a value to the label of the next one, at most."""
_WORDS, _WORDS_OF_LABEL = 10, 4
_SENTENCE: Final = re.compile(r"(?:\S+\s+){3,}\S+[.!?]")
_FIRST: Final = 1 << 15
_OF_NAMES: Final = frozenset("first-name first-name-short last-name last-name-short person-name name".split())
"""Rules whose headers name persons, of which a form has one."""


class _Field(NamedTuple):
    """A label, the number of its line, whether it has a colon, and where the value below it is, and in which line."""

    label: str
    line: int
    has_colon: bool
    value: Span
    value_line: int


def begins(sample: str) -> bool:
    """Whether a text that begins so has such a form."""
    return bool(_fields(sample[:_FIRST]))


def _fields(text: str) -> list[_Field]:
    """The fields of the forms in a text."""
    forms: list[list[_Field]] = [[]]
    for field in _labelled(text):
        if forms[-1] and field.line - forms[-1][-1].value_line > _APART:
            forms.append([])
        forms[-1].append(field)
    found = [field for form in forms if _is_form(form) for field in form]
    lines = [(start, end) for start, end, _ in lines_of(text) if text[start:end].strip()]
    if not found and _is_form(form := _alternating(text, lines), is_all=True) and _names_somebody(text, form):
        found = form
    for block in _blocks(text):
        if (len(lines) == 1 or _is_form(block, is_all=True)) and _names_somebody(text, block):
            found += block
    return sorted(found, key=lambda field: field.line)


def _alternating(text: str, lines: Sequence[Span]) -> list[_Field]:
    """The fields of a text of nothing but labels, without colons, and a value below each, as far to the left."""
    form: list[_Field] = []
    for i in range(0, len(lines) - len(lines) % 2, 2):
        head, value = (pattern.fullmatch(text, *lines[i + k]) for k, pattern in enumerate((_LABEL, _VALUE)))
        if head is None or value is None or not _is_label(head["label"]) or not _may_be_value(value["value"]):
            return []
        if _is_label(value["value"]):
            return []
        form.append(_Field(head["label"], i, False, value.span("value"), i + 1))
    return form if len(lines) == 2 * len(form) else []


def _blocks(text: str) -> Iterator[list[_Field]]:
    """The fields of each block of lines all of which have a label, and a value behind it."""
    block: list[_Field] | None = []
    for number, (start, end, _) in enumerate((*lines_of(text), (len(text), len(text), len(text)))):
        line = text[start:end]
        if not line.strip():
            if block:
                yield block
            block = []
        elif (found := _IN_LINE.fullmatch(line)) is None:
            block = None
        elif block is not None and _is_label(found["label"]):
            value = _VALUE.fullmatch(found["value"])
            if value is not None and _may_be_value(value["value"]):
                at = start + found.start("value")
                span = at + value.start("value"), at + value.end("value")
                block.append(_Field(found["label"], number, True, span, number))


def _names_somebody(text: str, form: list[_Field]) -> bool:
    """Whether a value with a label of names may be one: settings have such labels, too, and words in small letters."""
    values = (text[slice(*field.value)] for field in form if _of_persons(field.label) & _OF_NAMES)
    return any(value == EMPTY or (value[0].isalpha() and not value[0].islower()) for value in values)


def _is_form(form: list[_Field], is_all: bool = False) -> bool:
    """Whether labels are those of a form about a person. `is_all`: there is nothing but these and what they label."""
    labels = {field.label for field in form}
    fewest = _FEWEST if is_all or all(field.has_colon for field in form) else _FEWEST_BARE
    named = [rules for label in labels if (rules := _of_persons(label))]
    return len(named) >= fewest and any(rules & _OF_NAMES for rules in named)


def _labelled(text: str) -> Iterator[_Field]:
    above: tuple[str, int, int] | None = None
    """The label that waits for its value, its line, and how far it is indented, -1 behind a colon."""
    for number, (start, end, _) in enumerate(lines_of(text)):
        line = text[start:end]
        if not line.strip():
            above = above if above is not None and above[2] < 0 and number == above[1] + 1 else None
            continue
        value = _VALUE.fullmatch(line) if above is not None else None
        if (
            above is not None
            and value is not None
            and value.start("value") > above[2]
            and _may_be_value(value["value"])
        ):
            span = start + value.start("value"), start + value.end("value")
            yield _Field(above[0], above[1], above[2] < 0, span, number)
            above = None
            continue
        head = _LABEL.fullmatch(line)
        above = None
        if head is not None and _is_label(head["label"]):
            above = head["label"], number, -1 if head["colon"] else head.start("label")


def _may_be_value(text: str) -> bool:
    return len(text.split()) <= _WORDS and _SENTENCE.fullmatch(text) is None


@of_words(1 << 12)
def _is_label(label: str) -> bool:
    """Whether words, nearly all of which head columns, name a kind of values."""
    from piiscan.rules import rule_sets

    words, rules = tokens(label), rule_sets.shipped().rules
    if not words or len(words) > _WORDS_OF_LABEL or "..." in label or not rules.named(label):
        return False
    return all(word in rules.words_of_headers or len(word) < _WORDS_OF_LABEL for word in words)


@of_words(1 << 12)
def _of_persons(label: str) -> frozenset[str]:
    """The rules for personal values that have a label among their headers."""
    from piiscan.rules import rule_sets

    rules = rule_sets.shipped().rules
    named = (rules.by_id[name] for name in rules.named(label) if name in rules.by_id)
    return frozenset(rule.id for rule in named if PII_CLASS[rule.entity] != "none")


def _parts(text: str) -> Iterator[Part]:
    """The values of a form: a row ends where a label comes again."""
    columns: dict[str, int] = {}
    rows: list[dict[Place, Span]] = [{}]
    for field in _fields(text):
        place = (columns.setdefault(field.label, len(columns)), field.label, 0)
        if place in rows[-1]:
            rows.append({})
        rows[-1][place] = field.value
    for row in rows if columns else ():
        spans = sorted(row.values())
        for i, (start, end) in enumerate(spans):
            records = () if i else (Record("form", spans[0][0], spans[-1][1], row),)
            yield Part(start, end, records)


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    return records_and_lines(text, list(_parts(text)))


NOTATION: Final = Notation(_read, header_of, plain, written_in_line, emptied=EMPTY)
