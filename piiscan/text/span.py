"""What is found in a text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (not included) of a text are an `entity`.

    `subtype`: the country's own number, where there is one. `rule`: the rule that found it, or `text-person`,
    `text-location`, `text-organization` for the recogniser. `score`: 1 − the share of random matches that pass the rule's
    check; for the recogniser, the probability that exactly this span is one.

    It holds no text. `text[span.start:span.end]` does.
    """

    start: int
    end: int
    entity: str
    subtype: str | None
    rule: str
    score: float
