"""Values that a text announces: "Phone: 450 0840", "my passport number is X1234567", "call me on 9472 7916".

Rules for whole cells (`search = "cell"`) count where a column's header names them, since their values say nothing by
themselves. In a text the words right before a value are its header; the fewest that name a rule count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from piiscan.core import header_words
from piiscan.core.caches import of_words
from piiscan.core.entities import PII_CLASS
from piiscan.detection.matching import reference
from piiscan.detection.text.labels import LABEL, WORDS, cell_before, without_marks
from piiscan.detection.text.timed_text_rules import timed_at
from piiscan.rules.compile_rules import CompiledRules, Pattern

BEFORE: Final = 5
"""Words before a value that may announce it."""
FEWEST_DIGITS: Final = 2

_VALUE = re.compile(r"(?<![0-9A-Za-z_@#./+()-])(?<!\d,)\(?\+?\(?(?=[A-Za-z]{0,5}-?\d)")
_ENDS_LABEL = re.compile(r"[\n;!?|,<>\d\"]")
_LINKS = frozenset("is was are ist war lautet est es era at the a der die das".split())
_CARDS = frozenset("card cards cc visa mastercard amex karte kreditkarte carte tarjeta carta cartao kaart".split())
_CARD = re.compile(r"\d(?:[ -]?\d){11,18}(?![0-9A-Za-z_]|[.-][0-9A-Za-z])")
_CALLS = frozenset(
    """
        call called calling calls reach ring dial answering text texted sms whatsapp anrufen angerufen ruckruf rückruf
        erreichbar unter appeler appelé joindre bellen gebeld llamar ligar chiamare contact desk line hotline
        switchboard pager ops
    """.split()
)
_PHONE_AFTER = re.compile(
    r"[ -]?\(?(?:office|fax|mobile|cell|home|work|desk|mobil|büro|handy|portable|kantoor)\b", re.IGNORECASE
)
_NO_PHONE = re.compile(
    r"(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:19|20)?\d\d|(?:19|20)\d\d ?[-–/] "
    r"?(?:19|20)\d\d|\d+\.\d+|\d{4}"
)
_CAPITALS = {i: i - 32 for i in range(ord("a"), ord("z") + 1)}
_NO_WORD: Final = "z" * 20
"""Stands for a word that is in no header."""
PHONE: Final = "phone"
CARD: Final = "card"


def labelled(text: str, compiled: CompiledRules) -> Iterator[reference.Span]:
    """Values in a text that the words before them announce; they may overlap."""
    capitals = ""
    phone, card = compiled.patterns.get(PHONE), compiled.patterns.get(CARD)
    for match in _VALUE.finditer(text):
        start = match.start()
        patterns, of_card, of_call = _announced(compiled, _label(text, start))
        found = []
        if patterns:
            capitals = capitals or text.translate(_CAPITALS)  # people write codes in small letters too
            found = [s for p in patterns if (s := _at(p, text, start) or _at(p, capitals, start)) is not None]
        if not found and card is not None and of_card:
            found = [s for s in [_card(card, text, start)] if s]
        if not found and phone is not None:
            s = _at(phone, text, start) if of_call else _before_its_kind(phone, text, start)
            found = [s] if s else []
        if found:
            yield min(found, key=lambda s: (-s.end, s.pattern.rule.search != "anywhere", s.pattern.priority))


def _label(text: str, start: int) -> str:
    """The text before a value in its sentence, or in the cell before it; of the line before only behind a colon."""
    before = text[max(0, start - LABEL) : start]
    head = before.rstrip()
    if "\n" in before[len(head) :] and not head.endswith(":"):
        return ""
    cell = cell_before(before)  # above a table
    return _ENDS_LABEL.split(without_marks(head))[-1] if cell is None else cell


@of_words(1 << 14)
def _announced(compiled: CompiledRules, label: str) -> tuple[tuple[Pattern, ...], bool, bool]:
    """Return what the last words of a label announce: by which rules, whether it may be a card, and whether a call."""
    words = [w for w in WORDS.findall(label) if w.lower() not in _LINKS][-BEFORE:]
    said = {w.lower() for w in words}
    return _patterns(compiled, words), not said.isdisjoint(_CARDS), not said.isdisjoint(_CALLS)


def _at(pattern: Pattern, text: str, start: int) -> reference.Span | None:
    """The match of a pattern that begins at a place, if it passes."""
    if pattern.rule.engine == "regex":
        span = timed_at(pattern, text, start)
    else:
        match = reference.compiled_regex(pattern.exact).match(text, start)
        span = match.span() if match else None
    if span is None or not pattern.rule.passes(text[start : span[1]]):
        return None
    if pattern.rule.entity == "PHONE_NUMBER" and _NO_PHONE.fullmatch(text[start : span[1]]):
        return None
    return reference.Span(start, span[1], pattern)


def _card(card: Pattern, text: str, start: int) -> reference.Span | None:
    """A number that passes the check of cards, from any issuer."""
    match = _CARD.match(text, start)
    return reference.Span(start, match.end(), card) if match and card.rule.passes(match[0]) else None


def _before_its_kind(phone: Pattern, text: str, start: int) -> reference.Span | None:
    """A telephone number followed by what it is: "450 0840-Fax"."""
    match = reference.compiled_regex(phone.text).match(text, start)
    if match is None or not _PHONE_AFTER.match(text, match.end()) or _NO_PHONE.fullmatch(match[0]):
        return None
    return reference.Span(start, match.end(), phone)


def _patterns(compiled: CompiledRules, words: Sequence[str]) -> tuple[Pattern, ...]:
    """Those that the fewest of some words name that stand right before a value."""
    telling = [n for n, word in enumerate(reversed(words), 1) if _may_name(compiled, word)]
    if not telling:
        return ()
    # No phrase goes across a word that names nothing: whose name it is doesn't matter, so labels are asked for once.
    said = [word if len(words) - i in telling else _NO_WORD for i, word in enumerate(words)]
    names = (_named(compiled, " ".join(said[-n:])) for n in telling)
    return next(filter(None, names), ())


@of_words(1 << 14)
def _may_name(compiled: CompiledRules, word: str) -> bool:
    """Whether a word occurs in any rule's headers."""
    return not compiled.rules.words_of_headers.isdisjoint(header_words.tokens(word))


@of_words(1 << 14)
def _named(compiled: CompiledRules, label: str) -> tuple[Pattern, ...]:
    """The rules for whole cells with direct identifiers that some words name."""
    patterns = (compiled.patterns.get(i) for i in sorted(compiled.rules.named(label)))
    return tuple(
        p
        for p in patterns
        if p is not None and p.fewest_digits >= FEWEST_DIGITS and PII_CLASS[p.rule.entity] == "direct"
    )
