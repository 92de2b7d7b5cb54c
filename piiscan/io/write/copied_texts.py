"""Texts that stand beside the values of a document and are copied: whether they repeat a value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

COMMENTED: Final = (
    "a comment, an instruction or a namespace in it contains a value that is masked elsewhere, and would be copied; "
    "take it out first"
)
_WORD: Final = re.compile(r"\w+")


class CopiedTexts:
    """The words of texts that are copied as they are."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words = [word for line in lines for word in _WORD.findall(line.casefold())]
        self._at: dict[str, list[int]] = {}
        for at, word in enumerate(self._words):
            self._at.setdefault(word, []).append(at)

    def hold(self, value: str) -> bool:
        """Whether a value is among them: one of six characters and more, and of several words or with a digit."""
        if not self._words or len(value) < 6:
            return False
        words = _WORD.findall(value.casefold())
        if len(words) < 2 and not any(map(str.isdigit, value)):
            return False
        rarest = min(range(len(words)), key=lambda i: len(self._at.get(words[i], ())), default=0)
        starts = (at - rarest for at in self._at.get(words[rarest], ())) if words else ()
        return any(start >= 0 and self._words[start : start + len(words)] == words for start in starts)
