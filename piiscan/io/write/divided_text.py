"""A text in pieces that tags divide, with some of its words replaced: each piece keeps the words that stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

_MOST: Final = 2000
"""Words that are compared one by one; of more, all between the first and the last that change are replaced."""


class DividedText:
    """The `pieces` of a text; between those of different `groups` stand tags."""

    def __init__(self, pieces: Sequence[str], groups: Sequence[int]) -> None:
        self._old = "".join(pieces)
        self._new = list(self._old)
        self._owner = [i for i, piece in enumerate(pieces) for _ in piece]
        self._groups, self._count = groups, len(pieces)
        self._gone: set[int] = set()

    def replace(self, new: str, apart: bool) -> None:
        """Replace the words in which the text differs from a new one.

        `apart`: the new one was made of the text with spaces where tags divide it.
        """
        words = list(self._words(apart))
        old, now = ["".join(self._old[at] for at in word) for word in words], new.split()
        for first, stop, begin, end in _differences(old, now):
            text = " ".join(now[begin:end])
            if first < stop:
                self._put([at for word in words[first:stop] for at in word], text)
            elif first:
                self._insert(words[first - 1][-1], f" {text}", behind=True)
            elif words:
                self._insert(words[0][0], f"{text} ", behind=False)

    def pieces(self) -> list[str | None]:
        """The new pieces; None for those that stay."""
        out: list[list[str]] = [[] for _ in range(self._count)]
        changed: set[int] = set()
        for owner, old, new in zip(self._owner, self._old, self._new, strict=True):
            out[owner].append(new)
            if old != new:
                changed.add(owner)
        return ["".join(chars) if i in changed else None for i, chars in enumerate(out)]

    def _words(self, apart: bool) -> Iterator[list[int]]:
        """The words of the text: where their characters are."""
        word: list[int] = []
        for at, char in enumerate(self._old):
            if word and (char.isspace() or (apart and self._group(at) != self._group(word[-1]))):
                yield word
                word = []
            if not char.isspace():
                word.append(at)
        if word:
            yield word

    def _group(self, at: int) -> int:
        return self._groups[self._owner[at]]

    def _put(self, old: list[int], new: str) -> None:
        """Replace some characters, and the space between them, but for what the new text begins or ends with, too.

        What was replaced before stays replaced.
        """
        head = tail = 0
        while head < min(len(old), len(new)) and self._old[old[head]] == new[head]:
            head += 1
        while 0 < head < len(old) and self._are_of_one_word(old[head - 1], old[head]):
            head -= 1
        while tail < min(len(old), len(new)) - head and self._old[old[-1 - tail]] == new[-1 - tail]:
            tail += 1
        while 0 < tail < len(old) and self._are_of_one_word(old[-tail - 1], old[-tail]):
            tail -= 1
        old, new = old[head : len(old) - tail], new[head : len(new) - tail]
        left = [at for at in old if at not in self._gone]
        for at in left:
            self._new[at] = ""
        if not left:
            return
        self._new[left[0]] = new.strip()
        for at in range(old[0], old[-1]):
            if self._old[at].isspace():
                self._new[at] = ""
        self._gone.update(old)

    def _are_of_one_word(self, left: int, right: int) -> bool:
        """Whether neither a sign nor a tag divides two characters."""
        return self._old[left].isalnum() and self._old[right].isalnum() and self._group(left) == self._group(right)

    def _insert(self, at: int, text: str, behind: bool) -> None:
        self._new[at] = self._new[at] + text if behind else text + self._new[at]


def _differences(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Where words differ: from and to which of the old ones, and of the new ones."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    stop, end = len(old) - tail, len(new) - tail
    if (stop, end) == (head, head):
        return
    if max(stop, end) - head > _MOST:
        yield head, stop, head, end
        return
    found = SequenceMatcher(None, old[head:stop], new[head:end], autojunk=False)
    for kind, first, last, begin, until in found.get_opcodes():
        if kind != "equal":
            yield head + first, head + last, head + begin, head + until
