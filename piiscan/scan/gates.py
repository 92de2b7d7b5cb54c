"""Regexes that let most cells go at once. All are made from the rules; each lets through every cell that could be a hit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from piiscan.program import LEFT, RIGHT, SPACE, Pattern, Program
from piiscan.scan.reference import context_pattern

GROUP = 8


@dataclass(frozen=True)
class Group:
    """A few rules with one regex that finds a cell with a match of any of them."""

    any_match: str
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, eq=False)
class Gates:
    """What a scan asks of a program again and again, made once. A regex is None where no rule needs it."""

    program: Program

    @cached_property
    def claiming(self) -> tuple[Pattern, ...]:
        return tuple(p for p in self.program.of("anywhere") if p.claims)

    @cached_property
    def within(self) -> str | None:
        """A match of an `anywhere` rule, between its boundaries. A cell that is one as a whole has one within."""
        return _any_within(self.program.of("anywhere"))

    @cached_property
    def begin(self) -> str | None:
        """The beginning of what a `context` rule matches."""
        texts = dict.fromkeys(prefix for p in self.program.of("context") for prefix in p.prefixes)
        return f"{LEFT['word'][0]}(?-u:{'|'.join(texts)})" if texts else None

    @cached_property
    def whole(self) -> str | None:
        """The stripped cell is a match of a `context` or `cell` rule."""
        return _any_whole(self.program.of("context", "cell"))

    @cached_property
    def merged(self) -> str | None:
        """Any of the three above."""
        return "|".join(p for p in (self.within, self.begin, self.whole) if p) or None

    @cached_property
    def context_words(self) -> str | None:
        """Some context phrase of some rule stands in the cell."""
        return "|".join(sorted({context_pattern(p.rule) for p in self.program.of("context") if p.rule.context})) or None

    @cached_property
    def within_groups(self) -> tuple[Group, ...]:
        """The `anywhere` rules, similar ones together."""
        return tuple(Group(_any_within(cut) or "", cut) for cut in _cut(self.program.of("anywhere")))

    @cached_property
    def whole_groups(self) -> tuple[Group, ...]:
        """The `context` and `cell` rules, similar ones together."""
        return tuple(Group(_any_whole(cut) or "", cut) for cut in _cut(self.program.of("context", "cell")))

    def of_digits(self, length: int) -> tuple[Pattern, ...]:
        """The `context` and `cell` rules that may match a string of so many digits."""
        known = self._of_digits.get(length)
        if known is None:
            known = tuple(p for p in self.program.of("context", "cell") if length in p.digits)
            self._of_digits[length] = known
        return known

    @cached_property
    def _of_digits(self) -> dict[int, tuple[Pattern, ...]]:
        return {}

    @cached_property
    def claim_re(self) -> re.Pattern[str] | None:
        """Python: a stripped cell that some claiming rule matches as a whole."""
        texts = dict.fromkeys(p.text for p in self.claiming)
        return re.compile("|".join(texts)) if texts else None


def windows(patterns: Iterable[Pattern]) -> str | None:
    """Any window of any of the patterns."""
    texts = sorted({w for p in patterns for w in p.windows})
    return f"(?-u:{'|'.join(texts)})" if texts and all(texts) else None


def _cut(patterns: Iterable[Pattern]) -> list[tuple[Pattern, ...]]:
    ordered = sorted(patterns, key=lambda p: (p.prefixes, p.rule.id))
    return [tuple(ordered[i : i + GROUP]) for i in range(0, len(ordered), GROUP)]


def _any_within(patterns: Iterable[Pattern]) -> str | None:
    texts: dict[str, list[str]] = {}
    for p in patterns:
        texts.setdefault(p.rule.boundary, []).append(p.text)
    parts = (f"{LEFT[b][0]}(?-u:{'|'.join(dict.fromkeys(alike))}){RIGHT[b][0]}" for b, alike in sorted(texts.items()))
    return "|".join(parts) or None


def _any_whole(patterns: Iterable[Pattern]) -> str | None:
    texts = dict.fromkeys(p.text for p in patterns)
    return f"^{SPACE}(?-u:{'|'.join(texts)}){SPACE}$" if texts else None
