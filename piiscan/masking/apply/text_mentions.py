"""Which known values in a text are masked by themselves, and what of a name is left beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from piiscan.core.apart import Apart
from piiscan.core.header_words import fold
from piiscan.detection.text.announced_persons import is_surely_given, lists_of
from piiscan.detection.text.token_features import In
from piiscan.masking.known.choosing import Chosen
from piiscan.masking.known.entries import NONE
from piiscan.masking.known.folded_text import is_unspaced
from piiscan.masking.known.homographs import is_day_of_month, is_disease, is_month
from piiscan.masking.known.known_values import KnownValues
from piiscan.masking.known.mentions import Found
from piiscan.masking.known.value_forms import (
    FIRST,
    FIRST_STEM,
    FULL,
    INITIALS,
    INNER,
    LAST,
    LAST_STEM,
    NAME,
    PARTICLES,
    PARTS,
    STEMS,
    STREET,
    USERNAME,
)
from piiscan.scanning.classify.plain_words import is_common, is_in_no_list

NAMED: Final = frozenset(("PERSON", "LOCATION", "ORGANIZATION"))
"""What the recogniser finds; all else rules do."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_LIKELIEST: Final = 0.5
NOWHERE: Final = frozenset[tuple[int, int]]()
"""No place in a text."""
_BEFORE_USER: Final = re.compile(
    r"(?:@|(?<![^\W_])(?:user(?:name)?|usr|login|account|acct|uid|u)[:=/])$", re.IGNORECASE
)
_LONGEST_BEFORE: Final = 12
_CALLED: Final = "小老阿"
"""What Chinese family and given names of one character are called with."""
_SHORTEST_GIVEN, _SHORTEST_PART = 4, 5
_INITIAL_BEHIND: Final = re.compile(r" ([^\W\d_])\.(?!\w)")
_GIVEN_BEFORE: Final = re.compile(r"(?:(?P<title>[^\W\d_]+\.?)[ \t]+)?(?P<name>[^\W\d_]{2,})(?:[ \t]+|[ \t]*\r?\n)\Z")
_GIVEN_BEHIND: Final = re.compile(r"(?:,?[ \t]+|\^)(?P<name>[^\W\d_]{2,})(?![\w'’-])")
_LONGEST_GIVEN: Final = 40


class Mention(NamedTuple):
    """A known value in a text: `at` among the mentions found; `cut`: characters of the first of two parts."""

    start: int
    end: int
    kind: int
    entry: int
    sure: bool
    own: bool
    common: bool
    at: int
    cut: int


class Firm(NamedTuple):
    """A number or an address in a text, which stays whole beside others, and whether it is of the row's own person."""

    start: int
    end: int
    kind: int
    own: bool


def with_others(known: KnownValues, found: Found, picked: Chosen, places: Any) -> Chosen:
    """Attribute parts of names to another person who is the only one with a full name in the text."""
    full = np.isin(picked.kind, FULL) & ~picked.own
    if not full.any():
        return picked
    person = np.zeros(len(places), dtype=np.uint64)
    several = np.zeros(len(places), dtype=np.bool_)
    for row, key in zip(picked.row[full].tolist(), known.person[found.value[picked.at[full]]].tolist(), strict=True):
        several[row] |= person[row] not in (0, key)
        person[row] = key
    person[several] = 0
    part = np.isin(picked.kind, PARTS) & ~picked.own
    at = np.flatnonzero(part & (person[picked.row] != 0))
    entry = known.entry_of(known.values[found.value[picked.at[at]]], person[picked.row[at]])
    new, sure = picked.entry.copy(), picked.sure.copy()
    new[at] = np.where(entry != NONE, entry, new[at])
    sure[at] |= (entry != NONE) & ~known.common[found.value[picked.at[at]]]
    return picked._replace(entry=new, sure=sure)


def is_other_person(m: Mention) -> bool:
    """Whether a mention is the full name of somebody else than the row's own person."""
    return m.kind in (*FULL, NAME) and not m.own


def counts(
    m: Mention,
    text: str,
    mentions: Sequence[Mention],
    spans: Sequence[Any],
    likely: frozenset[tuple[int, int]] = NOWHERE,
) -> bool:
    """Whether a mention is masked by itself: not where it is part of an address, say, which is masked as a whole.

    `likely`: places that the recogniser takes for a person's name, however unsure it is.
    """
    around = {s.entity for s in spans if s.start <= m.start and m.end <= s.end}.difference((*NAMED, "URL"))
    is_name = m.kind in (*FULL, NAME, INNER)
    if around and (m.kind in (*PARTS, *STEMS) or (is_name and (not m.sure or "EMAIL_ADDRESS" in around))):
        return False
    if m.kind in PARTS and (is_month(text, m.start, m.end) or _is_syllable(m, text, spans)):
        return False
    if not m.own and m.kind in (*PARTS, *STEMS, *FULL, NAME) and is_disease(text, m.start, m.end):
        return False
    if not m.own and m.kind in (*FULL, NAME) and _is_words(text[m.start : m.end]):
        return False
    return m.sure or _supported(m, text, mentions, spans, likely)


def _is_syllable(m: Mention, text: str, spans: Iterable[Any]) -> bool:
    """Whether a name of one character is part of a word: 이 in 고객이, unless it is found, or called 小王."""
    if m.end - m.start > 1 or not is_unspaced(text[m.start]):
        return False
    before, behind = text[m.start - 1 : m.start], text[m.end : m.end + 1]
    if not any(map(is_unspaced, (before, behind))) or (m.own and before and before in _CALLED):
        return False
    return not any(s.entity == "PERSON" and s.start <= m.start and m.end <= s.end for s in spans)


def _is_words(name: str) -> bool:
    """Whether a name in small letters is nothing but common words: `/rose-white` is a colour."""
    return name.islower() and all(map(is_common, _WORD.findall(name)))


def _is_nothing_else(name: str, cut: int) -> bool:
    """Whether a name in small letters or one word has a part that no list has: in one step of a path, not in two.

    `cut`: characters of the first part: Mark Down's "markdown" is a word.
    """
    words = _WORD.findall(name)
    parts = words if len(words) > 1 else (name[:cut], name[cut:])
    return "/" not in name and any(map(is_in_no_list, parts))


def _is_user(m: Mention, text: str, spans: Iterable[Any]) -> bool:
    """Whether what may be a word, too, is called a user, or found as one."""
    before = text[max(0, m.start - _LONGEST_BEFORE) : m.start]
    found = (s for s in spans if s.entity == "USERNAME" and s.start <= m.start and m.end <= s.end)
    return _BEFORE_USER.search(before) is not None or any(found)


def _supported(
    m: Mention, text: str, mentions: Sequence[Mention], spans: Iterable[Any], likely: frozenset[tuple[int, int]]
) -> bool:
    """Whether the context supports that a word is part of a name: another part beside it, or the recogniser.

    A name of somebody else that no list of words and names has needs nothing beside it, and a given name that is
    nothing else needs the initial of a family name, or that the recogniser takes it for a name rather than for anything
    else. Of the row's own person a word in small letters is one too, unless it is common.
    """
    written = text[m.start : m.end]
    found = any(s.entity == "PERSON" and s.start < m.end and m.start < s.end for s in spans)
    if m.own:
        beside = (k for k in mentions if k.own and k.kind in (*PARTS, *FULL, INNER) and k.at != m.at)
        return found or not (m.common or is_common(written)) or any(_beside(text, m, k) for k in beside)
    if m.kind == USERNAME:
        return _is_user(m, text, spans)
    if is_other_person(m):
        return _is_nothing_else(written, m.cut)
    if _is_named(m, text, spans, likely):
        return True
    # A given name with an ending may be a word; without an entry the recogniser's span is masked as a whole.
    return found and m.entry != NONE and m.kind != FIRST_STEM


def _is_named(m: Mention, text: str, spans: Iterable[Any], likely: frozenset[tuple[int, int]]) -> bool:
    """Whether a part of somebody else's name is one by itself, or by an initial behind it or the recogniser.

    A given name within a longer name that the recogniser finds is that of somebody else, and masked as a whole.
    """
    if m.common:
        return False
    word = text[m.start : m.end]
    if m.kind in (LAST, LAST_STEM):
        return is_in_no_list(word)
    if m.kind not in (FIRST, FIRST_STEM) or not _may_be_given(m, word, text, likely):
        return False
    return not any(
        s.entity == "PERSON" and s.start <= m.start and m.end <= s.end and " " in text[s.start : s.end] for s in spans
    )


def _may_be_given(m: Mention, word: str, text: str, likely: frozenset[tuple[int, int]]) -> bool:
    if m.kind == FIRST_STEM:
        return _is_declined(word)
    if is_in_no_list(word, _SHORTEST_PART if word.isupper() else _SHORTEST_GIVEN):
        return True  # short words in capitals are abbreviations
    if is_common(word):
        return False
    if len(word) >= _SHORTEST_PART and lists_of(word) == In.RARE_CITY:
        return True
    initial = _INITIAL_BEHIND.match(text, m.end)
    if initial is not None and initial[1].isupper():
        return True
    return (m.start, m.end) in likely and is_surely_given(word)


def _is_declined(word: str) -> bool:
    """Whether a word that begins as a known given name is nothing but that name with an ending: "Codes" is none."""
    if word.isupper() or not is_in_no_list(word):
        return False
    stems = [word[:end] for end in range(_SHORTEST_GIVEN, len(word))]
    return not any(is_common(stem) or (lists_of(stem) & In.COMMON and not is_surely_given(stem)) for stem in stems)


def cuts_any(m: Mention, firm: Sequence[Firm]) -> bool:
    """Whether a mention overlaps another one that it doesn't contain, and that stays whole.

    Those of the row's own person do, but an address beside a number doesn't. Of anybody a number does whose letters
    would be the initial of a name before it: "Kernweiler (C-004711)".
    """
    return any(
        m.start < each.end
        and each.start < m.end
        and not (m.start <= each.start and each.end <= m.end)
        and (m.kind in INITIALS or (each.own and (not m.own or (m.kind == STREET != each.kind))))
        for each in firm
    )


def is_name(span: Any, text: str, least: float) -> bool:
    """Whether a hit of the recogniser is a name: it is sure enough, and no month, nor a disease named after a person.

    A full name with a known given name needs no more than to be the likeliest.
    """
    words = text[span.start : span.end].split()
    if span.score < least and not (span.score >= _LIKELIEST and len(words) > 1 and is_surely_given(words[0])):
        return False
    if text[span.start].islower() and not text.islower() and not any(word[0].isupper() for word in words[1:]):
        return False
    return not (is_disease(text, span.start, span.end) or is_day_of_month(text, span.start, span.end))


def _beside(text: str, a: Mention, b: Mention) -> bool:
    between = text[a.end : b.start] if a.end <= b.start else text[b.end : a.start]
    return len(between) <= 2 and not any(c.isalnum() for c in between)


def left_names(text: str, start: int, end: int, taken: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """Yield words next to known names that belong to them, such as middle names, but no titles and particles."""
    from piiscan.masking.surrogates import gender_words

    for a, b in uncovered(start, end, taken):
        for word in _WORD.finditer(text, a, b):
            small = fold(word[0])
            if (
                len(small) > 1
                and word[0][:1].isupper()
                and small not in PARTICLES
                and small not in gender_words.titles()
            ):
                yield word.start(), word.end()


def with_given(left: list[tuple[str, int, int]], text: str, taken: Sequence[Mention]) -> list[tuple[str, int, int]]:
    """What is found in a text outside of known values, with given names of others beside known family names."""
    beside = _given_beside(text, taken) if taken else []
    if not beside:
        return left
    apart = Apart((start, end) for _, start, end in left)
    return [*left, *(("FIRST_NAME", *place) for place in beside if apart.add(*place))]


def _given_beside(text: str, taken: Sequence[Mention]) -> list[tuple[int, int]]:
    """The given names beside family names that are known, of people who are in no table: relatives, say.

    Before a family name, or behind it where both are in capitals or a comma stands between, or a caret as in DICOM.
    Words that lists have as given names are some, and in scripts without capitals words that a title announces.
    """
    families = [m for m in taken if m.kind in (LAST, LAST_STEM)]
    if not families:
        return []
    covered = Apart((m.start, m.end) for m in taken)
    out = []
    for m in families:
        first = max(0, m.start - _LONGEST_GIVEN)
        before = _GIVEN_BEFORE.search(text[first : m.start])
        if before is not None and _is_given(before["name"], before["title"]):
            out.append((before.start("name") + first, before.end("name") + first))
        behind = _GIVEN_BEHIND.match(text, m.end) if m.kind == LAST else None
        if behind is not None:
            word = behind["name"]
            fits = behind[0].startswith(",") or (text[m.start : m.end].isupper() and word.isupper())
            if behind[0].startswith("^") or (fits and _is_given(word, None)):
                out.append(behind.span("name"))
    return [place for place in out if not covered.meets(*place)]


def _is_given(word: str, title: str | None) -> bool:
    """Whether a word beside a family name is a given name."""
    from piiscan.masking.surrogates import gender_words

    titles = gender_words.titles()
    if word[0].islower() or is_common(word) or fold(word) in PARTICLES or fold(word) in titles:
        return False
    if word[0].isupper():
        return is_surely_given(word)  # "Frau Direktor Kernweiler"
    return title is not None and fold(title).removesuffix(".") in titles


def uncovered(start: int, end: int, taken: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    at = start
    for a, b in sorted((m.start, m.end) for m in taken):
        if a < end and b > start:
            if at < a:
                yield at, a
            at = max(at, b)
    if at < end:
        yield at, end


def without_overlaps(spans: Sequence[Any]) -> list[Any]:
    """Remove overlaps between spans: a URL gives way to what it contains, otherwise the longer span stays."""
    taken = Apart()
    order = sorted(spans, key=lambda s: (s.entity == "URL", s.start - s.end, s.start))
    return [s for s in order if taken.add(s.start, s.end)]
