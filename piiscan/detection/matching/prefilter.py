"""Regexes that let most cells go at once.

All are made from the rules; each lets through every cell that could be a hit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from piiscan.core.header_words import MARKS
from piiscan.detection.matching import reference
from piiscan.detection.reading.cells_as_read import may_differ
from piiscan.rules.compile_rules import LEFT, RIGHT, SHORTEST_CONTEXT, SPACE, CompiledRules, Pattern

GROUP = 12
_REMEMBERED = 4096
_MANY = 400_000
"""Cells for which the two gates behind the first one take as long as compiling it, where none passes them."""
_WORDS = re.compile("[0-9a-z]+")

Spoken = dict[Pattern, None]
"""Rules, once each."""


@dataclass(frozen=True)
class Group:
    """A few rules with one regex that finds a cell with a match of any of them."""

    any_match: str
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, eq=False)
class Prefilter:
    """What lets most cells of a scan go at once, made of the rules once. A regex is None where no rule needs it."""

    compiled: CompiledRules

    @cached_property
    def claiming(self) -> tuple[Pattern, ...]:
        return tuple(p for p in self.compiled.of("anywhere") if p.claims)

    @cached_property
    def first(self) -> str | None:
        """`anywhere` or `context`: the look of a match of a rule searched within, or of what is read otherwise.

        A cell that is a match as a whole has one within, too. That cells may be read otherwise than they are written is
        found in the same pass, where it costs nothing.
        """
        looks = _any_within((p, p.coarse) for p in self.compiled.of("anywhere", "context"))
        return looks and f"{looks}|{may_differ()}"

    def meets_many(self, cells: int) -> bool:
        """Whether so many cells have been met, with `cells` more, that `first` is worth what compiling it takes."""
        self._met[0] += cells
        return self._met[0] > _MANY

    @cached_property
    def _met(self) -> list[int]:
        return [0]

    @cached_property
    def anywhere(self) -> str | None:
        """The look of a match of an `anywhere` rule."""
        return _any_within((p, p.coarse) for p in self.compiled.of("anywhere"))

    @cached_property
    def precise(self) -> str | None:
        """A match of an `anywhere` rule. Slower than `anywhere` on what doesn't even look like one."""
        return _any_within((p, p.text) for p in self.compiled.of("anywhere"))

    @cached_property
    def context(self) -> str | None:
        """The look of a match of a `context` rule."""
        return _any_within((p, p.coarse) for p in self.compiled.of("context"))

    @cached_property
    def whole(self) -> str | None:
        """The stripped cell has the kinds of characters of a match of a `context` rule."""
        texts = dict.fromkeys(p.kinds for p in self.compiled.of("context"))
        return f"^{SPACE}(?-u:{'|'.join(texts)}){SPACE}$" if texts else None

    @cached_property
    def longest_context(self) -> int:
        """Characters of the longest match of a `context` rule."""
        return max((p.longest for p in self.compiled.of("context")), default=0)

    @cached_property
    def context_words(self) -> list[str]:
        """A word of every context phrase, the longest, without regard to ASCII case."""
        return sorted({max(phrase.split(), key=len) for p in self.compiled.of("context") for phrase in p.phrases})

    @cached_property
    def context_start(self) -> str | None:
        """The first letters of a context phrase, at the beginning of a word."""
        words = {phrase.split()[0] for p in self.compiled.of("context") for phrase in p.phrases}
        texts = "|".join(sorted({reference.spelled(word[:SHORTEST_CONTEXT]) for word in words}))
        return f"(?:^|[^0-9A-Za-z])(?:{texts})" if texts else None

    def spoken_of(self, text: str) -> Spoken:
        """Return the rules with a context phrase that may begin in `text`. Phrases are letters and digits."""
        found: Spoken = {}
        if text.isascii():
            for word in _WORDS.findall(text.lower()):
                if word in self._beginnings:
                    found.update(self._beginnings[word])
        else:
            for word in self._starts.findall(text):
                found.update(self._begun_by(word.lower()))
        return found

    def _begun_by(self, word: str) -> Spoken:
        known = self._begun.get(word)
        if known is None:
            known = {p: None for n in range(1, len(word) + 1) for p in self._first_words.get(word[:n], ())}
            if len(self._begun) < _REMEMBERED:
                self._begun[word] = known
        return known

    @cached_property
    def _begun(self) -> dict[str, Spoken]:
        return {}

    @cached_property
    def _starts(self) -> re.Pattern[str]:
        """Return the text at each position where a context phrase could begin, as long as its first word could be.

        That is also after a letter outside ASCII.
        """
        longest = max(map(len, self._first_words), default=1)
        return re.compile(rf"(?<![0-9A-Za-z])(?=([\w{MARKS}]{{1,{longest}}}))")

    @cached_property
    def _first_words(self) -> dict[str, Spoken]:
        """The first word of every context phrase → the rules that have it."""
        return _phrase_index(self.compiled.of("context"), lambda words: words[:1])

    @cached_property
    def _beginnings(self) -> dict[str, Spoken]:
        """Map the first words of phrases, written as one, to the rules that have them."""
        return _phrase_index(
            self.compiled.of("context"), lambda words: ["".join(words[:n]) for n in range(1, len(words) + 1)]
        )

    @cached_property
    def anywhere_groups(self) -> tuple[Group, ...]:
        """The `anywhere` rules, similar ones together."""
        return _groups(self.compiled.of("anywhere"))

    @cached_property
    def context_groups(self) -> tuple[Group, ...]:
        """The `context` rules, similar ones together."""
        return _groups(self.compiled.of("context"))

    def of_digits(self, length: int) -> tuple[Pattern, ...]:
        """The `context` rules that may match a string of so many digits."""
        return tuple(p for p in self.compiled.of("context") if length in p.digits)

    def of_length(self, length: int) -> tuple[Pattern, ...]:
        """The `context` rules with matches of so many characters."""
        return tuple(p for p in self.compiled.of("context") if p.shortest <= length <= p.longest)

    def of_kinds(self, kinds: str) -> tuple[Pattern, ...]:
        """The `context` rules that may match a text of such kinds of characters: 0, A, a, and others as they are."""
        known = self._of_kinds.get(kinds)
        if known is None:
            known = tuple(p for p in self.of_length(len(kinds)) if reference.compiled_regex(p.kinds).fullmatch(kinds))
            self._of_kinds[kinds] = known
        return known

    @cached_property
    def _of_kinds(self) -> dict[str, tuple[Pattern, ...]]:
        return {}

    @cached_property
    def claim_re(self) -> re.Pattern[str] | None:
        """Python: a stripped cell that some claiming rule matches as a whole."""
        texts = dict.fromkeys(p.text for p in self.claiming)
        return re.compile("|".join(texts)) if texts else None


def _phrase_index(patterns: Iterable[Pattern], keys: Callable[[list[str]], list[str]]) -> dict[str, Spoken]:
    """Each of the `keys` of a context phrase's words → the rules that have such a phrase."""
    found: dict[str, Spoken] = {}
    for pattern in patterns:
        for phrase in pattern.phrases:
            for key in keys(phrase.lower().split()):
                found.setdefault(key, {})[pattern] = None
    return found


def windows(patterns: Iterable[Pattern]) -> str | None:
    """Any window of any of the patterns."""
    texts = sorted({w for p in patterns for w in p.windows})
    return f"(?-u:{'|'.join(texts)})" if texts and all(texts) else None


def _groups(patterns: Iterable[Pattern]) -> tuple[Group, ...]:
    ordered = sorted(patterns, key=lambda p: (p.coarse, p.rule.id))
    cuts = [tuple(ordered[i : i + GROUP]) for i in range(0, len(ordered), GROUP)]
    return tuple(Group(_any_within((p, p.text) for p in cut) or "", cut) for cut in cuts)


def _any_within(texts: Iterable[tuple[Pattern, str]]) -> str | None:
    alike: dict[str, dict[str, None]] = {}
    for pattern, text in texts:
        alike.setdefault(pattern.rule.boundary, {})[text] = None
    return "|".join(f"{LEFT[b][0]}(?-u:{'|'.join(found)}){RIGHT[b][0]}" for b, found in sorted(alike.items())) or None
