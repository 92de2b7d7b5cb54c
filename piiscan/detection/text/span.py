"""What is found in a text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from piiscan.detection.reading.url_encoding import Decoded
    from piiscan.detection.reading.visible_text import Visible

NAMED: Final = {
    "PER": ("PERSON", "text-person"),
    "LOC": ("LOCATION", "text-location"),
    "ORG": ("ORGANIZATION", "text-organization"),
}
"""What the model calls it → entity and rule."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (not included) of a text are an `entity`.

    `subtype`: the country's own number, where there is one. `rule`: the rule that found it, or `text-person`,
    `text-location`, `text-organization` for the recogniser and forms of address. `score`: 1 − the share of random
    matches that pass the rule's check; for the recogniser, the probability that exactly this span is one; for forms of
    address a constant, `forms_of_address.SCORE`, which nobody measured.

    It holds no text. `text[span.start:span.end]` does.
    """

    start: int
    end: int
    entity: str
    subtype: str | None
    rule: str
    score: float


def placed(spans: Sequence[Span], seen: Visible | Decoded) -> list[Span]:
    """What is found in a text as it is read, by its places in the text as it is written."""
    places = (seen.written(s.start, s.end) for s in spans)
    return [replace(s, start=start, end=end) for s, (start, end) in zip(spans, places, strict=True)]


def with_others(first: Sequence[Span], others: Iterable[Span]) -> list[Span]:
    """The first spans, and of the others those that overlap none of them, in the order of their places."""
    free = [s for s in others if not any(s.start < f.end and f.start < s.end for f in first)]
    return sorted([*first, *free], key=lambda s: (s.start, s.end))


def apart(spans: Iterable[Span]) -> list[Span]:
    """In order, and of two that overlap the first."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def likeliest(spans: Iterable[Span]) -> list[Span]:
    """In order, and of those that overlap the likelier, of equal ones the longer."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (-s.score, s.start - s.end, s.start)):
        at = bisect_left(kept, span.end, key=lambda s: s.start)
        if at == 0 or kept[at - 1].end <= span.start:
            kept.insert(at, span)
    return kept
