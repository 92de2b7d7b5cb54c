"""User rules outside the linear dialect, run on texts by the `regex` package under a time budget.

`detect.timed` does the same on cells. A rule that exceeds its budget raises `ReadError`: a text that it wasn't tried
on is never reported as free of its values.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from piiscan.core.errors import ReadError
from piiscan.detection.matching import reference
from piiscan.rules.compile_rules import CompiledRules, Pattern

if TYPE_CHECKING:
    import regex

SECONDS: Final = 0.05
"""Longest search of a rule in one window of a text."""


def timed(text: str, compiled: CompiledRules) -> Iterator[reference.Span]:
    """Return matches of rules that count in any text, and of those that count near their words if one occurs in it.

    They may overlap.
    """
    for pattern in compiled.timed:
        search = pattern.rule.search
        if search == "anywhere" or (search == "context" and reference.has_context(pattern, text)):
            try:
                found = [m.span() for m in _compiled(pattern).finditer(text, timeout=SECONDS)]
            except TimeoutError:
                raise _over(pattern) from None
            yield from (reference.Span(a, b, pattern) for a, b in found if pattern.rule.passes(text[a:b]))


def timed_at(pattern: Pattern, text: str, start: int) -> tuple[int, int] | None:
    """Where a match that begins at a place lies; its check is left to the caller."""
    try:
        match = _compiled(pattern).match(text, start, timeout=SECONDS)
    except TimeoutError:
        raise _over(pattern) from None
    return match.span() if match else None


def _over(pattern: Pattern) -> ReadError:
    return ReadError(
        f"rule {pattern.rule.id} ran out of its time budget in a text: make its pattern simpler, or leave the rule out"
    )


@cache
def _compiled(pattern: Pattern) -> regex.Pattern[str]:
    import regex

    return regex.compile(pattern.exact, regex.ASCII | (regex.IGNORECASE if pattern.rule.ignore_case else 0))
