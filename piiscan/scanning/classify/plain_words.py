"""Words that mean something by themselves, and are no names where they stand."""

from __future__ import annotations

import zlib
from functools import cache
from typing import Final

from piiscan.core.header_words import fold

_SHORTEST: Final = 5


@cache
def _common() -> frozenset[int]:
    from piiscan.scanning.classify.wordlists import wordlists

    return frozenset(wordlists().arrays["plain.hash"].tolist())


def is_common(word: str) -> bool:
    """Whether a word is one of the commonest of its language, beside a name."""
    return zlib.crc32(fold(word).encode("utf-8", "replace")) in _common()


def is_in_no_list(word: str, shortest: int = _SHORTEST) -> bool:
    """Whether a word of five letters (`shortest`) or more is neither common nor in a list of names, places and jobs."""
    from piiscan.detection.text.announced_persons import lists_of

    return len(word) >= shortest and not is_common(word) and not lists_of(word)
