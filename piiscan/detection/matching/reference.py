"""What is counted: the meaning of every rule on one cell, in plain Python.

A cell is stripped of white space. (1) Rules whose pattern matches the whole cell are candidates, and hits where the
check passes; `cell` rules only where the column's header names them. (2) If a rule that claims (`search = "anywhere"`,
not a URL) is among the hits, only the one of highest priority counts and nothing else is tried. (3) Otherwise rules are
searched within
the cell: the `anywhere` rules, the `context` rules for which a context phrase occurs in the cell, and those that the
column's header names, unless one of these is a hit as a whole and so says what the cell is; never those that match it
as a whole. Of overlapping matches that pass their checks the longest counts (then the one of highest priority); a URL
neither hides nor is hidden, since anything may be in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from piiscan.core.apart import Apart
from piiscan.core.caches import of_words
from piiscan.rules.compile_rules import CompiledRules, Pattern, is_dense

SPACES = " \t\r\n"
LONG = 4096
"""Characters from which on a text is long: what was found in an equal one is remembered, and parts of it searched."""
_REACH: Final = 1024
"""Characters of a match before and behind its window at most, apart from those that a match goes on with."""


class Hit(NamedTuple):
    """One rule on one cell: the whole cell or within it; whether any match passed."""

    rule: str
    whole: bool
    passed: bool


class Span(NamedTuple):
    """One match inside a text: [start, end) in characters."""

    start: int
    end: int
    pattern: Pattern


@cache
def compiled_regex(text: str) -> re.Pattern[str]:
    """A regex of the rules, compiled once."""
    return re.compile(text)


def spelled(word: str) -> str:
    """A word as a pattern: ASCII letters in either case, others as they are."""
    return "".join(f"[{c.lower()}{c.upper()}]" if c.isascii() and c.isalpha() else re.escape(c) for c in word)


@cache
def context_pattern(pattern: Pattern) -> str | None:
    """Return a pattern that finds any context phrase of a rule in a cell; None if the rule has none.

    It matches whole words, ASCII letters in either case, up to three spaces or marks between two words; after words of
    Chinese, Japanese and Korean anything may follow at once. The same text serves Python and Rust.
    """
    if not pattern.phrases:
        return None
    spaced = [context_text(p) for p in pattern.phrases if not is_dense(p)]
    phrases = [context_text(p) for p in pattern.phrases if is_dense(p)]
    if spaced:
        phrases.append(f"(?:{'|'.join(spaced)})(?:$|[^0-9A-Za-z])")
    return f"(?:^|[^0-9A-Za-z])(?:{'|'.join(phrases)})"


def context_text(phrase: str) -> str:
    """A phrase as a pattern."""
    return r"[ _.:/\-'’]{0,3}".join(map(spelled, phrase.split()))


def has_context(pattern: Pattern, text: str) -> bool:
    if _context_starts(pattern).isdisjoint(_threes(text)):
        return False  # so it is for most patterns, and known sooner than by a regex
    regex = context_pattern(pattern)
    return regex is not None and compiled_regex(regex).search(text) is not None


@cache
def _context_starts(pattern: Pattern) -> frozenset[bytes]:
    """The first three bytes of a long word of each context phrase: a text has some of them, or no phrase."""
    return frozenset(_plain(max(phrase.split(), key=len))[:3] for phrase in pattern.phrases)


@of_words(1)  # many patterns are asked of one text
def _threes(text: str) -> frozenset[bytes]:
    """All of three bytes, two or one that stand together in a text."""
    plain = _plain(text)
    if len(plain) <= 4 * LONG:
        return frozenset(plain[i : i + n] for n in (1, 2, 3) for i in range(len(plain)))
    a = np.frombuffer(plain, dtype=np.uint8).astype(np.uint32)
    found = np.zeros(1 << 24, dtype=np.bool_)
    found[a[:-2] << 16 | a[1:-1] << 8 | a[2:]] = True
    threes = [number.to_bytes(3, "big") for number in np.flatnonzero(found).tolist()]
    return frozenset((*threes, *(three[:n] for three in (*threes, plain[-2:]) for n in (1, 2)), plain[-1:]))


def _plain(text: str) -> bytes:
    """With ASCII letters in lower case, and no others: see `spelled`."""
    return text.encode("utf-8", "surrogatepass").lower()


def matches_whole(pattern: Pattern, text: str) -> bool:
    return compiled_regex(pattern.text).fullmatch(text) is not None


def whole_hits(text: str, patterns: Iterable[Pattern]) -> list[Hit]:
    """Steps 1 and 2 for a stripped text."""
    hits = [(p, p.rule.passes(text)) for p in patterns if matches_whole(p, text)]
    claims = [p for p, passed in hits if passed and p.claims]
    if claims:
        return [Hit(min(claims, key=lambda p: p.priority).rule.id, True, True)]
    return [Hit(p.rule.id, True, passed) for p, passed in hits]


def matches_within(pattern: Pattern, text: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern between its boundaries, in their order.

    In a long text only what is near to a window of the pattern is searched, if a match may have any length: an address
    may begin at each word of a megabyte in base64, and each time all that follows would be read up to its end.
    """
    exact = compiled_regex(pattern.exact)
    if len(text) <= LONG or pattern.longest <= _REACH or not pattern.windows:
        yield from exact.finditer(text)
        return
    at = 0
    for start, stop in _near_windows(pattern, text):
        at = max(at, start)
        while at < stop and (found := exact.search(text, at, stop)) is not None:
            if found.end() + _REACH > stop:  # as far as it goes, and with what follows it
                begun, found = found.start(), exact.match(text, found.start())
                if found is None:
                    at = begun + 1
                    continue
            yield found
            at = found.end()


def _near_windows(pattern: Pattern, text: str) -> Iterator[tuple[int, int]]:
    """The parts of a text around what all matches of a pattern contain; where they overlap, they are one."""
    start = stop = -1
    for window in compiled_regex("|".join(pattern.windows)).finditer(text):
        if window.start() - _REACH > stop:
            if stop >= 0:
                yield start, stop
            start = max(0, window.start() - _REACH)
        stop = window.end() + _REACH
    if stop >= 0:
        yield start, min(stop, len(text))


def spans(text: str, patterns: Iterable[Pattern]) -> tuple[list[Span], set[str]]:
    """Matches within a text that pass their checks, overlaps resolved; and the ids of all rules that had a match."""
    found: list[Span] = []
    candidates: set[str] = set()
    for pattern in patterns:
        for match in matches_within(pattern, text):
            candidates.add(pattern.rule.id)
            if pattern.rule.passes(match.group()):
                found.append(Span(match.start(), match.end(), pattern))
    found.sort(key=lambda s: (s.start - s.end, s.pattern.priority, s.start))
    kept: list[Span] = []
    taken = Apart()  # by those kept, URLs aside
    for span in found:
        if span.pattern.rule.entity == "URL" or taken.add(span.start, span.end):
            kept.append(span)
    return sorted(kept, key=lambda s: (s.start, s.end)), candidates


def cell_hits(text: str, compiled: CompiledRules, named: frozenset[str] = frozenset()) -> list[Hit]:
    """Everything that counts for one cell. `named`: ids of rules that the column's header names."""
    patterns = [p for p in compiled.of("anywhere", "context", "cell") if p.rule.search != "cell" or p.rule.id in named]
    return hits_of(text, patterns, named)


def hits_of(text: str, every: Sequence[Pattern], named: frozenset[str] = frozenset()) -> list[Hit]:
    """`cell_hits` of some patterns."""
    text = text.strip(SPACES)
    hits = whole_hits(text, every)
    claiming = {p.rule.id for p in every if p.claims}
    if any(h.passed and h.rule in claiming for h in hits):
        return hits
    done = {h.rule for h in hits}
    if any(h.passed and h.rule in named for h in hits):
        named = frozenset()
    patterns = [
        p
        for p in every
        if p.rule.search != "cell"
        and p.rule.id not in done
        and (p.rule.search == "anywhere" or p.rule.id in named or has_context(p, text))
    ]
    kept, candidates = spans(text, patterns)
    passed = {s.pattern.rule.id for s in kept}
    return hits + [Hit(i, False, i in passed) for i in sorted(candidates)]
