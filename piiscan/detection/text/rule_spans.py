"""Spans by rules: what `detect.reference` counts in a cell, with its place.

A text is one cell: a rule of context needs one of its words somewhere in it. What a column's header or its other cells
would add is missing here, so a number that says nothing by itself is no span.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING

from piiscan.detection.matching import reference
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.text import announced
from piiscan.detection.text.labelled import labelled
from piiscan.detection.text.span import Span
from piiscan.detection.text.timed_text_rules import timed
from piiscan.rules.compile_rules import CompiledRules, Pattern
from piiscan.rules.definitions import Rule

if TYPE_CHECKING:
    import polars as pl

    from piiscan.detection.matching.match_column import Counts

STRONG = 0.9
"""Score of a rule without a check that counts in any text."""
NEAR_WORDS = 0.8
"""Score of a rule that counts near its words."""


def score(rule: Rule) -> float:
    """Return the score of a rule's match: the share of random matches that fail its check.

    It is at least the score of its kind of search.
    """
    return max(STRONG if rule.search == "anywhere" else NEAR_WORDS, min(0.99, 1 - rule.chance))


MANY = 256
"""So many texts are worth looking through all at once, which begins with compiling rules."""
WINDOW = 16_384
"""Characters of a text that are read at once."""
OVERLAP = 512
_SPACE = re.compile(r"\s")
_FILLED = r"[^ \t\r\n]"
_TWO_DIGITS = r"[0-9][^0-9]*[0-9]"
"""No value that is announced has fewer."""
_PARTS = ("FIRST_NAME", "LAST_NAME")
_SHORTEST = 4
"""Letters of a part of a name that is looked for again."""
_CLOSE = {")": "(", "]": "[", "}": "{"}


_ANNOUNCES = (_TWO_DIGITS, *announced.MAY)


@lru_cache(maxsize=4)
def prefilter_of(compiled: CompiledRules) -> Prefilter:
    return Prefilter(compiled)


def entities_of(compiled: CompiledRules) -> frozenset[str]:
    """Return the entities that the spans of rules may have."""
    others = (compiled.rules.by_id.get(rule) for rule in announced.RULES)
    return frozenset([*(p.rule.entity for p in compiled.patterns.values()), *(r.entity for r in others if r)])


def rule_spans(text: str, compiled: CompiledRules) -> list[Span]:
    """The spans of all rules in a text, in the order of their places.

    None overlap, except URLs and spans within them.

    A text longer than WINDOW is read in windows that overlap, cut at white space; words of context count within a
    window. Raises `ReadError` where a user's rule with look-around runs out of its time budget.
    """
    if len(text) <= WINDOW:
        return _in_window(text, compiled)
    out: list[Span] = []
    for start, own, stop, end in _windows(text):
        for span in _in_window(text[start:end], compiled):
            at = start + span.start
            if own <= at < stop and not (out and at < out[-1].end and "URL" not in (span.entity, out[-1].entity)):
                out.append(replace(span, start=at, end=start + span.end))
    return out


def _windows(text: str) -> Iterator[tuple[int, int, int, int]]:
    """(start, own, stop, end): the window's own spans are those that begin between `own` and `stop`."""
    own = 0
    while own < len(text):
        start = _border(text, own - OVERLAP) if own > OVERLAP else 0
        stop = _border(text, own + WINDOW - 2 * OVERLAP)
        yield start, own, stop, _border(text, min(len(text), stop + OVERLAP))
        own = stop


def _border(text: str, at: int) -> int:
    """The first white space from a place on, if there is one near; else the place."""
    found = _SPACE.search(text, at, at + OVERLAP // 2)
    return found.start() if found else min(at, len(text))


def _in_window(text: str, compiled: CompiledRules) -> list[Span]:
    body = text.strip(reference.SPACES)
    if not body:
        return []
    possible = list(_possible(body, compiled.of("anywhere")))
    hits = reference.whole_hits(body, [p for p in possible if p.longest >= len(body)])
    whole = [compiled.patterns[h.rule] for h in hits if h.passed]
    done = {h.rule for h in hits}
    spoken = _possible(body, prefilter_of(compiled).spoken_of(body))
    in_context = (p for p in spoken if not reference.matches_whole(p, body) and reference.has_context(p, body))
    return _read(text, whole, chain((p for p in possible if p.rule.id not in done), in_context), compiled)


def _read(text: str, whole: Sequence[Pattern], within: Iterable[Pattern], compiled: CompiledRules) -> list[Span]:
    """The spans of a text that isn't blank.

    `whole`: the rules for any text that the whole of it passes; `within`:
    those to search it for.
    """
    start = len(text) - len(text.lstrip(reference.SPACES))
    body = text.strip(reference.SPACES)
    spans = [_span(start, start + len(body), pattern.rule) for pattern in whole]
    for pattern, span in zip(whole, spans, strict=True):
        if pattern.claims:
            return [span]
    kept, _ = reference.spans(body, within)
    more = list(timed(body, compiled))
    if any(map(str.isdigit, body)):
        more += labelled(body, compiled)
    if more:
        kept = apart([*kept, *more])
    spans += [_span(start + s.start, start + s.end, s.pattern.rule) for s in map(partial(_trimmed, body), kept)]
    for find in announced.finders(text):
        taken = [s for s in spans if s.entity != "URL"]
        for new in find(text, compiled.rules):
            if not any(new.start < s.end and s.start < new.end for s in taken):
                taken.append(new)
                spans.append(new)
    spans += _repeated(text, spans)
    spans.sort(key=lambda s: (s.start, s.end))
    return spans


def _repeated(text: str, spans: Sequence[Span]) -> list[Span]:
    """Parts of names where a text has them again, without the key: in the arguments of a statement, say."""
    again: list[Span] = []
    for span in [s for s in spans if s.entity in _PARTS and s.end - s.start >= _SHORTEST]:
        for found in re.finditer(rf"(?<![^\W_]){re.escape(text[span.start : span.end])}(?![^\W_])", text):
            if not any(found.start() < s.end and s.start < found.end() for s in (*spans, *again) if s.entity != "URL"):
                again.append(replace(span, start=found.start(), end=found.end()))
    return again


def spans_of(texts: Sequence[str], compiled: CompiledRules) -> list[list[Span]]:
    """`rule_spans` of each text.

    Many are looked through at once by the vectorised engine, which releases the interpreter's lock; then those alone
    are read in which it finds something or a value may be announced, and only for the rules that it finds there.
    """
    import polars as pl

    from piiscan.detection.matching.match_column import count

    if len(texts) < MANY or compiled.timed:
        return [rule_spans(text, compiled) for text in texts]
    try:
        values = pl.Series(texts, dtype=pl.String)
    except UnicodeEncodeError:  # half a character
        return [rule_spans(text, compiled) for text in texts]
    long = values.str.len_chars() > WINDOW
    at = (values.str.contains(_FILLED) & ~long).arg_true()
    found: list[list[Span]] = [[] for _ in texts]
    counts = count(values.gather(at), prefilter_of(compiled))
    for i, (whole, within) in _rules_of(values.gather(at), at.to_list(), counts, compiled).items():
        found[i] = _read(texts[i], whole, within, compiled)
    for i in long.arg_true().to_list():
        found[i] = rule_spans(texts[i], compiled)
    return found


def spans_in(values: pl.Series, at: list[int], counts: Counts, compiled: CompiledRules) -> list[list[Span]]:
    """`rule_spans` of the texts at some places. `counts`: what all rules find in all of the texts, by `count`."""
    texts = dict(zip(at, values.gather(at).to_list(), strict=True))
    found: dict[int, list[Span]] = {i: [] for i in at}
    for i, (whole, within) in _rules_of(values, range(len(values)), counts, compiled).items():
        if i in texts:
            is_long = compiled.timed or len(texts[i]) > WINDOW
            found[i] = rule_spans(texts[i], compiled) if is_long else _read(texts[i], whole, within, compiled)
    return list(found.values())


def _rules_of(
    values: pl.Series, numbers: Sequence[int], counts: Counts, compiled: CompiledRules
) -> dict[int, tuple[list[Pattern], list[Pattern]]]:
    """Return for each text to be read, by number, the rules that it passes as a whole, and those with a span in it.

    `counts`: what all rules find in the texts.

    Rules that find nothing that counts hide nothing, so leaving them out changes no span.
    """
    found: dict[int, tuple[list[Pattern], list[Pattern]]] = {}
    for sign in _ANNOUNCES:
        found.update((numbers[i], ([], [])) for i in values.str.contains(sign).arg_true().to_list())
    for (rule, is_whole), hits in sorted(counts.items()):
        pattern = compiled.patterns[rule]
        if not is_whole or pattern.rule.search == "anywhere":
            for i in hits.cells.tolist():
                found.setdefault(numbers[i], ([], []))[0 if is_whole else 1].append(pattern)
    return found


def _trimmed(text: str, span: reference.Span) -> reference.Span:
    """Without what belongs to the sentence: white space, a mark behind a URL; `email='` or a path before an address."""
    start, end = span.start, span.end
    found = text[start:end]
    entity = span.pattern.rule.entity
    start += len(found) - len(found.lstrip())
    end -= len(found) - len(found.rstrip())
    if entity == "URL":
        while end > start + 1 and (
            text[end - 1] in ".,;:!?'\""
            or (
                text[end - 1] in _CLOSE
                and text[start:end].count(_CLOSE[text[end - 1]]) < text[start:end].count(text[end - 1])
            )
        ):
            end -= 1
    elif entity == "EMAIL_ADDRESS":
        local = text[start:end].partition("@")[0]
        start += max(local.rfind("="), local.rfind("/")) + 1
        start += len(text[start:end]) - len(text[start:end].lstrip("'"))
    return reference.Span(start, end, span.pattern)


def apart(spans: list[reference.Span]) -> list[reference.Span]:
    """Resolve overlapping spans: the longest wins, then a strong rule's, then the one of highest priority.

    URLs neither hide nor are hidden.
    """
    kept: list[reference.Span] = []
    for span in sorted(
        spans, key=lambda s: (s.start - s.end, s.pattern.rule.search != "anywhere", s.pattern.priority, s.start)
    ):
        if span.pattern.rule.entity == "URL" or not any(
            span.start < k.end and k.start < span.end for k in kept if k.pattern.rule.entity != "URL"
        ):
            kept.append(span)
    return sorted(kept, key=lambda s: (s.start, s.end))


def _possible(text: str, patterns: Iterable[Pattern]) -> Iterator[Pattern]:
    """The patterns that a text is long enough for and has the characters of."""
    digits = sum(map(text.count, "0123456789"))
    for p in patterns:
        if p.fewest_digits <= digits and p.shortest <= len(text) and all(c in text for c in p.needs):
            yield p


def _span(start: int, end: int, rule: Rule) -> Span:
    return Span(start, end, rule.entity, rule.subtype, rule.id, round(score(rule), 4))
