"""Names that a text repeats in part: "Mary Smith called. Mary wants …" becomes one made-up person, found or not."""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Final

from piiscan.core.header_words import fold
from piiscan.masking.known.value_forms import PARTICLES

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_POSSESSIVE: Final = re.compile("['’]s$")
_FEWEST: Final = 3
"""Letters of a part of a name that is looked for: shorter ones are words more often."""


def places(text: str, names: Sequence[str], found: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield where else the first or last word of a full name is, outside of what was found.

    `names`: those of persons in the text. Words that are others too, such as Will and Brown, aren't looked for.
    """
    full = [words for name in names if len(words := _words(name)) > 1]
    parts = {words[at][0] for words in full for at in (0, -1)}
    wanted = {word for word in parts if len(word) >= _FEWEST and word[0].isupper() and not is_common(word)}
    if not wanted:
        return
    taken = sorted(found)
    starts = [start for start, _ in taken]
    ends = [*accumulate((end for _, end in taken), max)]
    for here in _WORD.finditer(text):
        word = here[0] if here[0] in wanted else _POSSESSIVE.sub("", here[0])
        if word in wanted and _is_apart(text, here.start(), len(word)):
            before = bisect_left(starts, here.start() + len(word)) - 1
            if before < 0 or ends[before] <= here.start():
                yield here.start(), here.start() + len(word)


def _is_apart(text: str, start: int, size: int) -> bool:
    """Whether a word is no part of a longer one, such as an identifier or an address."""
    before, behind = text[start - 1 : start] if start else " ", text[start + size : start + size + 1]
    return not (before.isalnum() or before in "_-@." or behind.isalnum() or (behind and behind in "_-@"))


def agreeing(masks: Sequence[tuple[int, str, str | None]]) -> list[str | None]:
    """The masks of names, by row and name: a part of one full name in its row becomes that part of its mask."""
    of_parts: dict[tuple[int, str], set[str]] = {}
    for row, name, mask in masks:
        if mask is not None and len(words := _words(name)) > 1 and len(made := _words(mask)) > 1:
            for at in (0, -1):
                of_parts.setdefault((row, fold(words[at][0])), set()).add(made[at][0])
    out = []
    for row, name, mask in masks:
        words = _words(name)
        told = of_parts.get((row, fold(words[0][0])), ()) if len(words) == 1 and mask is not None else ()
        out.append(_with(name, words[0], *told) if len(told) == 1 else mask)
    return out


def _words(name: str) -> list[re.Match[str]]:
    """The words of a name without titles, particles and initials."""
    return [word for word in _WORD.finditer(name) if len(word[0]) > 1 and fold(word[0]) not in _passed_over()]


@cache
def _passed_over() -> frozenset[str]:
    from piiscan.masking.surrogates import gender_words

    return PARTICLES.union(gender_words.titles())


def _with(name: str, word: re.Match[str], mask: str) -> str:
    """A name with the mask of its one word: with its title, and in capitals where it is."""
    return name[: word.start()] + (mask.upper() if word[0].isupper() else mask) + name[word.end() :]


@cache
def _common() -> frozenset[int]:
    from piiscan.scanning.classify.wordlists import wordlists

    return frozenset(wordlists().arrays["plain.hash"].tolist())


def is_common(word: str) -> bool:
    """Whether a word is one of the commonest of its language, beside a name."""
    return zlib.crc32(fold(word).encode("utf-8", "replace")) in _common()
