"""Scripts of a column, cells that are names in them, and the forms of names, slugs and identifiers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Final, NamedTuple

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.scanning.classify.names_by_list import Known, listed

_RANGES: Final = (
    ("greek", 0x370, 0x3FF),
    ("cyrillic", 0x400, 0x52F),
    ("hebrew", 0x590, 0x5FF),
    ("arabic", 0x600, 0x77F),
    ("devanagari", 0x900, 0x97F),
    ("indic", 0x980, 0xDFF),
    ("thai", 0xE00, 0xE7F),
    ("hangul", 0xAC00, 0xD7AF),
    ("han", 0x3400, 0x9FFF),
    ("hiragana", 0x3041, 0x309F),
    ("katakana", 0x30A0, 0x30FF),
)
SCRIPTS: Final = ("latin", *(name for name, _, _ in _RANGES), "other")
_EAST_ASIAN: Final = "\u3005"
"""The first of the characters that Chinese, Japanese and Korean names are written with."""
_OF_NAMES: Final = 6
SCRIPT_FEATURES: Final = len(SCRIPTS) + 3 + _OF_NAMES
"""How many `scripts` gives."""


class Form(NamedTuple):
    """How a text may be written: wholly as `form`.

    One of ASCII holds one of the strings of `needs` then, and texts without them needn't be looked at. Where there are
    none, it holds characters of `_EAST_ASIAN` scripts.
    """

    needs: Sequence[str]
    form: re.Pattern[str]


def written_in(form: Form, texts: Sequence[str]) -> list[bool]:
    """Of each text, whether it is written in a form."""
    needs, pattern = form
    if not needs:
        return [not t.isascii() and max(t) >= _EAST_ASIAN and pattern.fullmatch(t) is not None for t in texts]
    if len(needs) == 1:
        need = needs[0]
        return [(need in t or not t.isascii()) and pattern.fullmatch(t) is not None for t in texts]
    return [pattern.fullmatch(t) is not None for t in texts]


WRITTEN: Final = tuple(
    Form(needs, lazy_pattern(form))
    for needs, form in (
        (".", r"(?:[^\W\d_]\.[ -]?){1,3}[^\W\d_]{2,}(?:[ -][^\W\d_]{2,})?"),
        (" ", r"[^\W\d_]{2,}(?:-[^\W\d_]{2,})?,? (?:[^\W\d_]\.? ?){1,3}"),
        ((", ",), r"[^\W\d_][^\W\d_'’ -]+, [^\W\d_][^\W\d_'’. -]+"),
        ("-_", r"[a-z0-9]+(?:[-_][a-z0-9]+)+"),
        (ascii_uppercase, r"[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}"),
        (
            " ",
            r"(?i:mrs?|ms|miss|dr|prof|herr|frau|mme|mlle|sra?|srta|sig(?:\.ra)?|dott|pani?|dhr|mevr|dna|gosp|bapak|ibu|encik"
            r"|puan)\.? .+|(?:г-н|г-жа|пан|пані|κα?|श्री|श्रीमती|السيد|السيدة|آقای|خانم|מר|นาย|นาง|นางสาว)\.? ?.+",
        ),
    )
)
"""Initials in front and behind, "Last, First", slugs, CamelCase, forms of address."""


def scripts(texts: Sequence[str], words: Sequence[Sequence[str]], names: Callable[[], Known]) -> list[float]:
    """Features of the folded texts of a column and their words.

    `names`: what the lists know of the words.

    The share of letters in each script, the share of texts in one script only, that of texts in scripts without spaces
    and how long these are, and shares of texts with entries of the name lists: a given name, a family name, a whole
    name, a title, one of either alone, a patronymic or initial.
    """
    joined = "".join(texts)
    if joined.isascii():  # what Latin names are is told by the lists themselves
        latin = float(joined.lower() != joined.upper())
        return [latin, *([0.0] * (len(SCRIPTS) - 1)), latin, *([0.0] * (2 + _OF_NAMES))]
    letters = Counter(joined)
    total = max(1, sum(n for c, n in letters.items() if c.isalpha()))
    of = {c: _script(c) for c in letters if c.isalpha()}
    shares = Counter[str]()
    for c, name in of.items():
        shares[name] += letters[c]
    n = max(1, len(texts))
    unspaced = [t for t in texts if any(of.get(c) in ("han", "hiragana", "katakana", "hangul") for c in t)]
    return [
        *(shares[name] / total for name in SCRIPTS),
        sum(len({of[c] for c in t if c in of}) == 1 for t in texts) / n,
        len(unspaced) / n,
        sum(min(20, len(t)) for t in unspaced) / 10 / max(1, len(unspaced)),
        *_names(texts, words, names()),
    ]


def _names(texts: Sequence[str], words: Sequence[Sequence[str]], names: Known) -> list[float]:
    n = max(1, len(texts))
    found = [listed(text, ws, names) for text, ws in zip(texts, words, strict=True)]
    return [
        *(sum(getattr(f, field) for f in found) / n for field in ("given", "family", "both", "titled")),
        sum(f.given and not f.family for f in found) / n,
        sum(f.family and not f.given for f in found) / n,
    ]


def _script(character: str) -> str:
    code = ord(character)
    if code < 0x250 or 0x1E00 <= code <= 0x1EFF:
        return "latin"
    return next((name for name, low, high in _RANGES if low <= code <= high), "other")
