"""Regexes that let most cells go at once. All are made from the rules; each lets through every cell that could be a hit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from piiscan.program import SPACE, Pattern, Program
from piiscan.scan.reference import context_pattern

GROUP = 8


@dataclass(frozen=True)
class Group:
    """A few rules with one regex that finds a cell with a match of any of them."""

    any_within: str
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, eq=False)
class Gates:
    """What a scan asks of a program again and again, made once."""

    program: Program

    @cached_property
    def claiming(self) -> tuple[Pattern, ...]:
        return tuple(p for p in self.linear if p.claims)

    @cached_property
    def linear(self) -> tuple[Pattern, ...]:
        return self.program.of("anywhere", "context", "cell")

    @cached_property
    def anywhere(self) -> tuple[Pattern, ...]:
        return self.program.of("anywhere")

    @cached_property
    def context(self) -> tuple[Pattern, ...]:
        return self.program.of("context")

    @cached_property
    def whole(self) -> str | None:
        """The stripped cell is a match of some rule."""
        texts = dict.fromkeys(p.text for p in self.linear)
        return f"^{SPACE}(?-u:{'|'.join(texts)}){SPACE}$" if texts else None

    @cached_property
    def first(self) -> str | None:
        """The first gate every unclaimed cell meets: a whole match, or a window of a rule searched within."""
        parts = [p for p in (self.whole, windows(self.anywhere + self.context)) if p]
        return "|".join(parts) or None

    @cached_property
    def anywhere_windows(self) -> str | None:
        return windows(self.anywhere)

    @cached_property
    def context_windows(self) -> str | None:
        return windows(self.context)

    @cached_property
    def context_words(self) -> str | None:
        """Some context phrase of some rule stands in the cell."""
        return "|".join(sorted({context_pattern(p.rule) for p in self.context if p.rule.context})) or None

    @cached_property
    def any_within(self) -> str | None:
        return _any_within(self.anywhere)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The `anywhere` rules in small groups of similar windows."""
        ordered = sorted(self.anywhere, key=lambda p: (p.windows, p.rule.id))
        cuts = [tuple(ordered[i : i + GROUP]) for i in range(0, len(ordered), GROUP)]
        return tuple(Group(_any_within(cut) or "", cut) for cut in cuts)

    @cached_property
    def claim_re(self) -> re.Pattern[str] | None:
        """Python: a stripped cell that some claiming rule matches as a whole."""
        texts = dict.fromkeys(p.text for p in self.claiming)
        return re.compile("|".join(texts)) if texts else None


def windows(patterns: Iterable[Pattern]) -> str | None:
    """Any window of any of the patterns; those that contain another one's text are left out."""
    texts = sorted({w for p in patterns for w in p.windows}, key=lambda w: (len(w), w))
    kept: list[str] = []
    for text in texts:
        if not any(_narrower(text, other) for other in kept):
            kept.append(text)
    return f"(?-u:{'|'.join(kept)})" if kept else None


def _narrower(text: str, other: str) -> bool:
    return text.startswith(other) and not text[len(other) :].startswith(("{", "?", "*", "+"))


def _any_within(patterns: Iterable[Pattern]) -> str | None:
    return "|".join(p.within for p in patterns) or None
