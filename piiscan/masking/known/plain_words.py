"""Words that mean something by themselves, and are no names where they stand."""

from __future__ import annotations

import zlib
from functools import cache

from piiscan.core.header_words import fold


@cache
def _common() -> frozenset[int]:
    from piiscan.scanning.classify.wordlists import wordlists

    return frozenset(wordlists().arrays["plain.hash"].tolist())


def is_common(word: str) -> bool:
    """Whether a word is one of the commonest of its language, beside a name."""
    return zlib.crc32(fold(word).encode("utf-8", "replace")) in _common()
