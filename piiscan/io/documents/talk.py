"""Who says what: exports of chats, transcripts of meetings and subtitles, in which names stand before what was said.

`12.03.24, 18:44 - Ann: hi`, `[18:44:02] <ann> hi`, `Ann Lee  9:12 AM` above what she wrote, `Ann: hi` in a file of
nothing else and below the times of subtitles. The names are a column: in a text of its own, `Kernweiler: ok` says
nothing. A log has levels and programs at such places: so some of what is said has to be words of a talk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.matching.identifiers_in_names import is_word_of_headers
from piiscan.detection.text.announced_persons import NO_SPEAKERS, lists_of
from piiscan.detection.text.token_features import In
from piiscan.io.documents.amid_text import Part, header_of, lines_of, records_and_lines, row
from piiscan.io.messages.records import EMPTY, Notation, Record, Span, plain, written_in_line

_DATE: Final = r"(?:\d{1,4}[./-](?:\d{1,2}|[A-Z][a-z]{2})[./-]\d{1,4}|\d{4}[년年] ?\d{1,2}[월月] ?\d{1,2}[일日])"
_CLOCK: Final = r"(?:오전 |오후 |上午 ?|下午 ?)?\d{1,2}:\d{2}(?::\d{2})?(?:[ \u00a0\u202f]?[AaPp]\.?[ \u00a0]?[Mm]\.?)?"
_TIME: Final = rf"[\u200e\u200f]?\[?(?:{_DATE}[,.]?[ T]{{1,2}})?{_CLOCK}\]?"
_WORD: Final = rf"(?:{EMPTY}|[^\W\d_][\w.'’-]*)"
_NAME: Final = rf"{_WORD}(?: {_WORD}){{0,4}}"
_TIMED: Final = lazy_pattern(
    rf"[ \t]{{0,4}}{_TIME}[ \t]{{0,3}}(?:[-–] )?(?:[Ff]rom\s{{1,3}})?(?P<name>{_NAME}?)"
    r"(?: (?:to|\(direct message\))[^:]{1,40})?"
    r"[ \t]{0,3}[:：](?=\s|$)"
)
_NICK: Final = lazy_pattern(
    rf"[ \t]{{0,4}}{_TIME}[ \t]{{0,3}}<[@+~&% ]?(?P<name>{EMPTY}|[^\W\d][\w.|`^\[\]{{}}-]{{1,30}})>(?=\s|$)"
)
_ABOVE: Final = lazy_pattern(rf"(?P<name>{_NAME})(?:[ \t]{{2,}}|[ \t]?\t|,? )\[?(?:{_DATE}[,.]? )?{_CLOCK}\]?[ \t]*")
_BEFORE: Final = lazy_pattern(rf"(?:[-–>]{{1,2}}[ \t]?)?(?P<name>{_NAME})[ \t]?[:：](?=\s|$)")
_TAGGED: Final = lazy_pattern(rf"{_TIME}[ \t]+(?P<name>{EMPTY}|[^\W\d_][\w.-]{{1,31}}(?:#\d{{4}})?)[ \t]*")
_CUE: Final = lazy_pattern(r"^(?:\d{1,2}:)?\d{1,2}:\d{1,2}[.,]\d{1,3} --> ", re.MULTILINE)
_ALONE: Final = lazy_pattern(rf"[ \t]*(?P<name>{_NAME})[ \t]*")
_FIRST: Final = 1 << 15
"""Characters of a text by which it is taken for a talk."""
_FEWEST: Final = 3
"""Turns of a talk."""
_FEWEST_BARE: Final = 6
"""Of one of which nothing but names and colons tells."""
_SPOKEN: Final = 0.1
"""Share of the turns that have words of a talk."""
_NEARLY_ALL: Final = 0.8
_MOST: Final = 0.75
"""Share of the turns with another speaker than all before."""
_TALK: Final = frozenset(
    """
    i you we my your me us hi hello hey yes yeah thanks thank please sorry ok okay lol bye
    ich du wir ihr mir dir mich dich mein dein sie uns hallo ja nein danke bitte moin tschüss
    je tu nous vous moi toi mon ton oui merci bonjour salut
    yo tú nosotros mi hola sí gracias usted
    io noi mio tuo ciao sì grazie
    eu você nós meu minha olá oi sim obrigado obrigada
    ik jij wij jou mijn hoi dag nee bedankt
    ja ty my mój cześć tak dzięki dziękuję proszę
    já my ahoj ano díky prosím jag du vi hej jeg mig tack tak takk minä sinä moi kiitos
    ben sen biz merhaba selam evet hayır teşekkürler tamam
    я ты мы вы мне тебе привет да нет спасибо здравствуйте пожалуйста
    εγώ εσύ μου σου γεια ναι όχι ευχαριστώ
    """.split()
)
_NOBODYS: Final = frozenset(
    """
    warning debug trace notice critical fatal alert emergency hint tip todo fixme nota bene
    warnung fehler hinweis achtung antwort erreur avertissement réponse errore avviso domanda risposta pregunta
    respuesta aviso pergunta resposta pytanie odpowiedź błąd uwaga vraag antwoord fout вопрос ответ ошибка
    chrome firefox safari edge redis nginx postgres postgresql mysql mongodb docker kubernetes jenkins ubuntu debian
    windows linux macos android alexa siri chatgpt gpt claude gemini copilot assistant
    moderator moderatorin narrator sprecher sprecherin chorus chor off voice uhr
    """.split()
)
"""Words at that place in logs, lists of questions and screenplays, of which no other list knows that."""
_ASKS: Final = re.compile(r"[?？؟;]\s*$|[?？؟]|[\u3041-\u3096]{3}|[\uac00-\ud7a3]{2}|[的了吗我你]")
_OTHER: Final = In.COMMON | In.ORGANISATION | In.JOB | In.TITLE | In.TIME | In.COUNTRY | In.FUNCTION


_BY_NICKS: Final = ("nick", "tagged")
"""Styles whose speakers are user names."""


class _Turn(NamedTuple):
    """Where a turn's speaker is named, what of the text goes before what is said, and the line with some of that."""

    name: Span
    part: Span
    said: Span


def begins(sample: str) -> bool:
    """Whether a text that begins so is a talk."""
    return _style(sample[:_FIRST]) is not None


def _style(text: str) -> str | None:
    """How the speakers of a talk are written that begins so; None where it is none."""
    if text.count("\n") < _FEWEST - 1 or ":" not in text.replace("\uff1a", ":"):
        return None
    found = ((style, list(turns(text))) for style, turns in _STYLES.items())
    by_turns = sorted(found, key=lambda item: -len(item[1]))
    return next((style for style, turns in by_turns if len(turns) >= _FEWEST and _is_talk(text, style, turns)), None)


def _is_talk(text: str, style: str, turns: Sequence[_Turn]) -> bool:
    if style == "bare":
        lines = sum(bool(text[start:end].strip()) for start, end, _ in lines_of(text))
        if len(turns) < max(_FEWEST_BARE, _NEARLY_ALL * lines):
            return False
    names = Counter(text[slice(*turn.name)] for turn in turns)
    again = [name for name, count in names.items() if count > 1 and _may_speak(name, style)]
    if list(names) != [EMPTY] and (not again or not 1 < len(names) <= max(2, _MOST * len(turns))):
        return False
    spoken = sum(_is_spoken(text[slice(*turn.said)]) for turn in turns)
    return spoken >= max(1, _SPOKEN * len(turns))


def _is_spoken(text: str) -> bool:
    return (
        text.strip() == EMPTY
        or _ASKS.search(text) is not None
        or not _TALK.isdisjoint(re.findall(r"[^\W\d_]+", text.lower()))
    )


def _may_speak(name: str, style: str) -> bool:
    """Whether a word, or several, before what is said may be a person's name."""
    if name == EMPTY:
        return True
    if style in _BY_NICKS:
        return not _is_other(re.split(r"[\W\d_]+", name)[0])
    if len(name) < 2 or name in NO_SPEAKERS or (name[0].islower() and name.isascii()):
        return False
    return not any(map(_is_other, re.split("[ -]", name)))


def _speaks(name: str, style: str) -> bool:
    """Whether a name in a talk is a person's: of a full name one word may be known as something else."""
    words = re.split("[ -]", name)
    is_full = len(words) > 1 and style not in _BY_NICKS and all(word[:1].isupper() for word in words)
    return _may_speak(name, style) or (is_full and name not in NO_SPEAKERS and not all(map(_is_other, words)))


def _is_other(word: str) -> bool:
    """Whether a word is known as something else than a name."""
    word = word.strip(".'’")
    found = lists_of(word)
    if len(word) < 2 or found & (In.GIVEN | In.FAMILY):
        return False
    return bool(found & _OTHER) or word.lower() in _NOBODYS or is_word_of_headers(word)


def _timed(text: str) -> Iterator[_Turn]:
    return _at_lines(text, _TIMED)


def _nicks(text: str) -> Iterator[_Turn]:
    return _at_lines(text, _NICK)


def _bare(text: str) -> Iterator[_Turn]:
    return _at_lines(text, _BEFORE)


def _in_cues(text: str) -> Iterator[_Turn]:
    """The turns of subtitles, whose times have lines of their own."""
    return _at_lines(text, _BEFORE) if _CUE.search(text) is not None else iter(())


def _at_lines(text: str, pattern: re.Pattern[str]) -> Iterator[_Turn]:
    for start, end, _ in lines_of(text):
        if (found := pattern.match(text, start, end)) is not None:
            yield _Turn(found.span("name"), (start, found.end()), (found.end(), end))


def _above(text: str) -> Iterator[_Turn]:
    """The turns of a talk in which the speaker and the time have a line of their own above what is said."""
    return _above_by(text, _ABOVE)


def _tagged(text: str) -> Iterator[_Turn]:
    return _above_by(text, _TAGGED)


def _above_by(text: str, pattern: re.Pattern[str]) -> Iterator[_Turn]:
    lines = list(lines_of(text))
    for i, ((start, end, _), (below, stop, _)) in enumerate(pairwise(lines)):
        if (found := pattern.fullmatch(text, start, end)) is None or not text[below:stop].strip():
            continue
        if i == 0 or not text[slice(*lines[i - 1][:2])].strip():
            yield _Turn(found.span("name"), (start, end), (below, stop))


def _below_cues(text: str) -> Iterator[_Turn]:
    """The turns of subtitles in which the speaker has a line of its own between the times and what is said."""
    lines = list(lines_of(text)) if _CUE.search(text) is not None else []
    for (first, last, _), (start, end, _), (below, stop, _) in zip(lines, lines[1:], lines[2:], strict=False):
        if _CUE.match(text, first, last) is None or not text[below:stop].strip():
            continue
        if (found := _ALONE.fullmatch(text, start, end)) is not None:
            yield _Turn(found.span("name"), (start, end), (below, stop))


_STYLES: Final[dict[str, Callable[[str], Iterator[_Turn]]]] = {
    "cue": _in_cues,
    "timed": _timed,
    "nick": _nicks,
    "above": _above,
    "tagged": _tagged,
    "below cue": _below_cues,
    "bare": _bare,
}


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    style = _style(text[:_FIRST])
    header = ("user name",) if style in _BY_NICKS else ("full name",)
    may_speak = lru_cache(maxsize=1 << 12)(_speaks)
    turns = _STYLES[style](text) if style is not None else ()
    own = [turn for turn in turns if may_speak(text[slice(*turn.name)], style or "")]
    return records_and_lines(text, [Part(*turn.part, [row("talk", *turn.part, header, [turn.name])]) for turn in own])


NOTATION: Final = Notation(_read, header_of, plain, written_in_line, emptied=EMPTY)
