"""Spans in text, by rules and by the recogniser of names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from piiscan.core.apart import Apart
from piiscan.core.caches import forget_with, forgetting
from piiscan.core.errors import UsageError
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.reading.url_encoding import decoded_among
from piiscan.detection.reading.visible_text import as_rules_read
from piiscan.detection.text.announced_persons import with_announced
from piiscan.detection.text.forms_of_address import addressed
from piiscan.detection.text.pipelines import Pipeline, found_by
from piiscan.detection.text.span import NAMED, Span, apart, likeliest, placed, with_others

if TYPE_CHECKING:
    from piiscan.detection.text.recogniser import Recogniser
    from piiscan.rules.compile_rules import CompiledRules
    from piiscan.rules.definitions import RuleSet

Spans = list[list[Span]]
Beside = Callable[[Callable[[], Spans]], Callable[[], Spans]]
FindSpans = Callable[["Analyzer", Sequence[str], Beside], Spans]

TOGETHER = 65_536
"""Characters of texts that are looked at in one go, about."""
_MAY_BE_CODE: Final = lazy_pattern("[A-Za-z0-9+/_=-]{64,}")
_SHARES: Final = (0.2, 0.2, 0.05)
"""Of capitals, small letters and digits in Base64, at least."""


@cache
def recogniser() -> Recogniser:
    """The shipped recogniser. Raises `ModelError` where its file is missing or another one."""
    from piiscan.detection.text import text_model
    from piiscan.detection.text.recogniser import Recogniser

    made = Recogniser(text_model.shipped())
    forget_with(made.forget)
    return made


_WIDE = re.compile(r"(?<=\S) {3,}(?=\S)")
"""Blanks between cells of a printed table; text that is justified has two at most, hardly ever three."""
_CELLS = re.compile(r"[^\s](?: ?[^\s])*")
"""Cells of a line in which some are so far apart: two blanks part them, then."""


def _cells(text: str) -> Iterator[tuple[int, str]]:
    """The cells of several words in the lines of printed tables, and where they begin."""
    at = 0
    for line in text.split("\n"):
        if _WIDE.search(line):
            found = (match for match in _CELLS.finditer(line) if " " in match[0])
            yield from ((at + match.start(), match[0]) for match in found)
        at += len(line) + 1


def named(texts: Iterable[str], by: Recogniser | None = None, min_score: float = 0.0) -> list[list[Span]]:
    """Persons, places and organisations in each text, in the order of their places.

    By the recogniser, and persons by forms of address too. Cells of printed tables are read by themselves besides, as
    the words around a cell aren't its sentence; of what overlaps then, the likelier is kept.

    A text may be of any length. What is found in one doesn't depend on the others.
    """
    by = by or recogniser()
    texts = list(texts)
    out = _read(texts, by, min_score)
    cells = [(i, at, cell) for i, text in enumerate(texts) if "   " in text for at, cell in _cells(text)]
    more: dict[int, list[Span]] = {}
    for (i, at, _), spans in zip(cells, _read([cell for _, _, cell in cells], by, min_score), strict=True):
        more.setdefault(i, []).extend(replace(s, start=s.start + at, end=s.end + at) for s in spans)
    for i, spans in more.items():
        out[i] = likeliest([*out[i], *spans])
    return [_outside_of_code(text, spans) if spans else spans for text, spans in zip(texts, out, strict=True)]


def _outside_of_code(text: str, spans: list[Span]) -> list[Span]:
    """The spans that aren't in Base64: of its hundreds of thousands of words some look like names."""
    code = Apart(run.span() for run in _MAY_BE_CODE.finditer(text) if _is_code(run[0]))
    return [s for s in spans if not code.meets(s.start, s.end)]


def _is_code(run: str) -> bool:
    """Whether a long run has capitals, small letters and digits about as often as random bytes in Base64 have."""
    counts = (sum(map(str.isupper, run)), sum(map(str.islower, run)), sum(map(str.isdigit, run)))
    return all(n >= least * len(run) for n, least in zip(counts, _SHARES, strict=True))


def _read(texts: Sequence[str], by: Recogniser, min_score: float) -> list[list[Span]]:
    """What is named in each text."""
    from piiscan.detection.text.token_arrays import batches

    out: list[list[Span]] = []
    for group in batches(texts, TOGETHER):
        spans: list[list[Span]] = [[] for _ in group]
        read, found = by.read(group)
        for f in found:
            begin, last = int(read.first[f.sentence]) + f.start, int(read.first[f.sentence]) + f.stop - 1
            if f.p < min_score or not read.own[f.sentence] <= begin < read.end[f.sentence]:
                continue  # within the window before or behind, this is its own
            entity, rule = NAMED[f.label]
            at, start = int(read.text[f.sentence]), int(read.starts[begin])
            end = _before_quote(group[at], start, int(read.ends[last]))
            spans[at].append(Span(start, end, entity, None, rule, round(f.p, 4)))
        for text, found_here in zip(group, spans, strict=True):
            own = [s for s in addressed(text) if s.score >= min_score]
            persons = with_announced(text, apart(found_here))
            out.append(with_others(own, persons) if own else persons)
    return out


def _before_quote(text: str, start: int, end: int) -> int:
    """Where a name ends: a quotation mark that nothing in it opens is what divides it from the rest."""
    return end - 1 if text[end - 1] == '"' and '"' not in text[start : end - 1] and end - start > 1 else end


def _demand_texts(texts: Any) -> None:
    if isinstance(texts, str):
        raise UsageError("batch takes a list of texts; spans takes one")
    other = next((type(text).__name__ for text in texts if not isinstance(text, str)), None)
    if other is not None:
        raise UsageError(f"a text must be a str, not an object of type {other}")


def _later(work: Callable[[], Spans]) -> Callable[[], Spans]:
    """Work that is done in this thread, when its result is asked for."""
    return work


@dataclass(frozen=True)
class Analyzer:
    """Finds personal data in texts. Can be pickled.

    rules: a rule set (`piiscan.rules.rule_sets.load`), the shipped one by default; restrict it to look for a few things
        only.
    names: whether persons, places and organisations are looked for, as far as the rule set has `text-person`,
        `text-location` and `text-organization`.
    min_score: spans with a lower score are left out.
    nlp: a pipeline of yours that finds the names instead of piiscan's recogniser, a spaCy `Language` for instance: see
        `pipelines`. It is called in this process and gets the texts; nothing is downloaded.
    """

    rules: RuleSet | None = None
    names: bool = True
    min_score: float = 0.35
    nlp: Pipeline | None = None

    def spans(self, text: str) -> list[Span]:
        """The spans of one text, in the order of their places. See `batch`."""
        return self.batch([text])[0]

    @forgetting
    def batch(self, texts: Sequence[str], beside: Beside = _later) -> list[list[Span]]:
        """The spans of each text, in the order of their places.

        `beside`: begins work in another thread, and gives what waits for its result.

        Those of rules go before those of the recogniser, which don't overlap anything. A span of a rule may stand
        within a URL.
        Texts are read as a reader sees them: see `visible_text` and `plain_characters`. Those with URL encoding in them
        are read as it decodes, besides; of what overlaps, the former counts.
        Guarantee: what is found in a text depends on that text alone, and `text[span.start:span.end]` is what was
        found. Raises `ModelError` where the model's file is missing or another one, `ReadError` where a rule with
        look-around runs out of its time budget, `UsageError` for what is not a text.
        """
        _demand_texts(texts)
        read, seen = as_rules_read(texts)
        out = self._in(read, beside)
        if encoded := decoded_among(read):
            decoded = self._in([plain.text for plain in encoded.values()], _later)
            for (i, plain), more in zip(encoded.items(), decoded, strict=True):
                out[i] = _with_decoded(out[i], placed(more, plain))
        for i, shown in seen.items():
            out[i] = placed(out[i], shown)
        return out

    def _in(self, texts: Sequence[str], beside: Beside) -> list[list[Span]]:
        """The spans of each text, as it is read."""
        from piiscan.detection.text.rule_spans import spans_of

        compiled = compiled_or_shipped(self.rules)
        known = compiled.rules.by_id
        name_rules = {rule for _, rule in NAMED.values() if rule in known} if self.names else set()
        rules = beside(partial(spans_of, texts, compiled))
        if not name_rules:
            out: list[list[Span]] = [[] for _ in texts]
        elif self.nlp is not None:
            out = [[s for s in spans if s.score >= self.min_score] for spans in found_by(self.nlp, texts)]
        else:
            out = named(texts, min_score=self.min_score)
        for i, by_rules in enumerate(rules()):
            if by_rules or out[i]:
                found = [s for s in by_rules if s.score >= self.min_score]
                out[i] = with_others(found, (s for s in out[i] if s.rule in name_rules))
        return out


def _with_decoded(spans: Sequence[Span], decoded: Sequence[Span]) -> list[Span]:
    """What is found in a text as it is written, and as URL encoding decodes it.

    What rules find as it is written counts first, but for URLs, in which others may stand; the recogniser reads words,
    of which there are none where blanks are encoded.
    """
    by_rules = [s for s in spans if s.rule not in _NAMES]
    taken = [s for s in by_rules if s.entity != "URL"]
    more = with_others(taken, (s for s in decoded if s.entity != "URL"))
    others = with_others(more, (s for s in spans if s.rule in _NAMES))
    return sorted([*others, *(s for s in by_rules if s.entity == "URL")], key=lambda s: (s.start, s.end))


_NAMES = frozenset(rule for _, rule in NAMED.values())


def compiled_or_shipped(rules: RuleSet | None) -> CompiledRules:
    """A rule set ready to run; None is the shipped one."""
    from piiscan.rules.rule_sets import shipped

    return shipped() if rules is None else _compiled(rules)


@lru_cache(maxsize=4)
def _compiled(rules: RuleSet) -> CompiledRules:
    from piiscan.rules.rule_sets import compiled_rules

    return compiled_rules(rules)


def spans(text: str) -> list[Span]:
    """The spans of one text, by the shipped rules and the recogniser.

    >>> import piiscan.text
    >>> text = "Please call Maria Schmidt in Hamburg, or write to m.schmidt@example.com."
    >>> [(text[s.start : s.end], s.entity) for s in piiscan.text.spans(text)]
    [('Maria Schmidt', 'PERSON'), ('Hamburg', 'LOCATION'), ('m.schmidt@example.com', 'EMAIL_ADDRESS')]
    """
    return Analyzer().spans(text)
