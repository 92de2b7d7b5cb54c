"""Forms whose labels stand above what was filled in: `Last name:` and, in the line below, `Kernweiler`.

Texts are read line by line, in which such a value has no label; so each label that the rules know is a column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from piiscan.core.caches import of_words
from piiscan.core.entities import PII_CLASS
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.io.documents.amid_text import Part, header_of, lines_of, records_and_lines
from piiscan.io.messages.records import Notation, Place, Record, Span, one_line

_LABEL: Final = lazy_pattern(
    r"[ \t]{0,40}(?:[-*•] |\d{1,2}[.)] )?(?P<label>[^\W\d_][^\r\n:：,;|\t]{1,40}?)[ \t]*(?P<colon>[:：])?[ \t]*"
)
_VALUE: Final = lazy_pattern(r"[ \t]{0,40}(?P<value>[^\s:：](?:[^\r\n:：]|[:：]\d){0,98}[^\s:：]|[^\s:：])[ \t]*")
_FEWEST: Final = 2
"""Labels of a form with something below."""
_FIRST: Final = 1 << 15


def begins(sample: str) -> bool:
    """Whether a text that begins so has such a form."""
    return bool(_fields(sample[:_FIRST]))


def _fields(text: str) -> list[tuple[str, Span]]:
    """The labels of a form and where what is below stands; none where too few labels are known as those of persons."""
    found: list[tuple[str, Span]] = []
    label: str | None = None
    indent = 0
    for start, end, _ in lines_of(text):
        line = text[start:end]
        if label is not None and line.strip():
            value = _VALUE.fullmatch(line)
            is_below = value is not None and (indent < 0 or value.start("value") > indent)
            if value is not None and is_below:
                found.append((label, (start + value.start("value"), start + value.end("value"))))
                label = None
                continue
        head = _LABEL.fullmatch(line)
        if not line.strip() and label is not None and indent < 0:
            continue
        label = head["label"] if head is not None and _names(head["label"]) else None
        indent = -1 if head is None or head["colon"] else head.start("label")
    persons = {label for label, _ in found if _is_of_person(label)}
    return found if len(persons) >= _FEWEST else []


@of_words(1 << 12)
def _names(label: str) -> bool:
    from piiscan.rules import rule_sets

    return bool(rule_sets.shipped().rules.named(label))


@of_words(1 << 12)
def _is_of_person(label: str) -> bool:
    from piiscan.rules import rule_sets

    rules = rule_sets.shipped().rules
    return any(PII_CLASS[rules.by_id[name].entity] != "none" for name in rules.named(label) if name in rules.by_id)


def _parts(text: str) -> Iterator[Part]:
    """The values of a form: a row ends where a label comes again."""
    columns: dict[str, int] = {}
    rows: list[dict[Place, Span]] = [{}]
    for label, span in _fields(text):
        place = (columns.setdefault(label, len(columns)), label, 0)
        if place in rows[-1]:
            rows.append({})
        rows[-1][place] = span
    for row in rows if columns else ():
        spans = sorted(row.values())
        for i, (start, end) in enumerate(spans):
            records = () if i else (Record("form", spans[0][0], spans[-1][1], row),)
            yield Part(start, end, records)


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    return records_and_lines(text, list(_parts(text)))


def _plain(text: str, marks: Any) -> str:
    return text


def _written(value: str, marks: Any) -> str:
    return one_line(value)


NOTATION: Final = Notation(_read, header_of, _plain, _written)
