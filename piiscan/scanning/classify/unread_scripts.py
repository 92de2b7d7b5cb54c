"""Values in scripts in which names of persons are hardly found: of these a report must not say that they are clean."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Final

from piiscan.core.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from piiscan.scanning.classify.candidates import ColumnCandidates
    from piiscan.scanning.classify.column_values import ColumnValues

_EAST_ASIAN: Final = lazy_pattern("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f]")
_OTHERS: Final = lazy_pattern(
    "[\u0530-\u058f\u0700-\u074f\u0780-\u085f\u0900-\u1cff\u2c00-\u2c5f\u2d00-\u2ddf\ua000-\ua63f\ua6a0-\ua6ff"
    "\ua800-\uaaff\uabc0-\uabff\U00010a00-\U0001ebff]"
)
"""All scripts but those that the recogniser of names in texts was made for: Latin, Greek, Cyrillic, Hebrew, Arabic."""
_NAMED: Final = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HALFWIDTH": "Japanese",
    "HANGUL": "Korean",
}
_LANGUAGES: Final = {
    "Armenian": "hy",
    "Bengali": "as bn",
    "Chinese": "zh",
    "Devanagari": "hi mr ne sa",
    "Ethiopic": "am ti",
    "Georgian": "ka",
    "Gujarati": "gu",
    "Japanese": "ja",
    "Kannada": "kn",
    "Khmer": "km",
    "Korean": "ko",
    "Lao": "lo",
    "Malayalam": "ml",
    "Myanmar": "my",
    "Sinhala": "si",
    "Tamil": "ta",
    "Telugu": "te",
    "Thai": "th",
}
"""Scripts → languages written in them, as pipelines name theirs."""
_SENTENCE: Final = 20
"""From so many characters on, what is written without spaces is a text; names are shorter, and found by the lists."""
_WORDS: Final = 4
"""From so many words on, a value is a text."""
_ONE_IN: Final = {True: 20, False: 4}
"""Fewer than one in so many are let pass, of texts and of other values."""


def script(column: ColumnCandidates, is_text: bool) -> str | None:
    """The commonest of the scripts in which names in a column would hardly be found; None where there are few such.

    Texts count, and names of a few words of which the lists know half at most: the others were looked up.
    """
    texts = column.profile.texts
    if "".join(texts).isascii():
        return None
    unread = [
        text for text, words in zip(texts, column.profile.words, strict=True) if _is_unread(text, words, column.values)
    ]
    if not unread or len(unread) * _ONE_IN[is_text] < len(texts):
        return None
    letters = [c for text in unread for c in (*_EAST_ASIAN.findall(text), *_OTHERS.findall(text))]
    named = Counter(_script(c) for c in letters)
    if named["Japanese"]:  # which is written in Chinese characters, too
        named["Japanese"] += named.pop("Chinese", 0)
    return min(named, key=lambda name: (-named[name], name))


def reads(language: str | None, script: str) -> bool:
    """Whether a pipeline of this language reads texts in a script; "xx" is one of many languages."""
    return language is not None and language in ("xx", *_LANGUAGES.get(script, "").split())


def _is_unread(text: str, words: tuple[str, ...], values: ColumnValues) -> bool:
    if not words:  # numbers and prices have digits and signs of these scripts, too
        return False
    east_asian = len(_EAST_ASIAN.findall(text))
    if east_asian >= _SENTENCE or (len(words) >= _WORDS and east_asian >= 2 * len(words)):  # Korean has spaces
        return True
    if len(_OTHERS.findall(text)) < 2:
        return False
    known = sum(len(w) > 2 and bool(values.words.weights[values.words.at[w]].any()) for w in words)
    return len(words) >= _WORDS or 2 * known <= len(words)


def _script(letter: str) -> str:
    word = unicodedata.name(letter, "this").partition(" ")[0]
    return _NAMED.get(word, word.capitalize())
