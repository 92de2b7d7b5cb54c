"""A text in pieces that tags divide, with some of its words replaced: each piece keeps the words that stay."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

_TOGETHER: Final = 40
"""Words that are compared at a time; so many times as many where they have none in common."""
_MOST: Final = 2000
_WORD: Final = re.compile(r"\S+")


class Edit(NamedTuple):
    """A part of a text, from `start` to `end`, and what takes its place."""

    start: int
    end: int
    new: str


class DividedText:
    """The `pieces` of a text; between those of different `groups` stand tags."""

    def __init__(self, pieces: Sequence[str], groups: Sequence[int]) -> None:
        self._text = "".join(pieces)
        self._ends = list(accumulate(map(len, pieces)))
        self._tags = [end for end, (left, right) in zip(self._ends, pairwise(groups), strict=False) if left != right]
        self._edits: list[Edit] = []

    def replace(self, new: str, apart: bool) -> None:
        """Replace the words in which the text differs from a new one; what is replaced already stays so.

        `apart`: the new one was made of the text with spaces where tags divide it.
        """
        starts, ends = array("q"), array("q")
        for start, end in self._words(self._tags if apart else []):
            starts.append(start)
            ends.append(end)
        found: list[Edit] = []
        now = new.split()
        old = [self._text[start:end] for start, end in zip(starts, ends, strict=True)]
        for first, stop, begin, end in _differences(old, now):
            text = " ".join(now[begin:end])
            if first < stop:
                found += self._left(self._trimmed(Edit(starts[first], ends[stop - 1], text)))
            elif first and not self._edits:
                found.append(Edit(ends[first - 1], ends[first - 1], f" {text}"))
            elif old and not self._edits:
                found.append(Edit(starts[0], starts[0], f"{text} "))
        self._edits = sorted([*self._edits, *found])

    def pieces(self) -> list[str | None]:
        """The new pieces; None for those that stay."""
        out: list[str | None] = []
        at = 0
        todo = iter(self._edits)
        edit = next(todo, None)
        for end in self._ends:
            parts, start = list[str](), at
            while edit is not None and edit.start < end:
                parts += [self._text[at : edit.start], edit.new if edit.start >= start else ""]
                at = min(max(at, edit.end), end)
                if edit.end > end:
                    break
                edit = next(todo, None)
            if edit is not None and edit.start == edit.end == end and end > start:  # behind the last word of a piece
                parts += [self._text[at:end], edit.new]
                at = end
                edit = next(todo, None)
            out.append("".join([*parts, self._text[at:end]]) if parts else None)
            at = end
        return out

    def _words(self, apart: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Where words begin and end. `apart`: where one ends in any case."""
        for found in _WORD.finditer(self._text):
            start, end = found.span()
            for tag in apart[bisect_right(apart, start) : bisect_right(apart, end - 1)]:
                yield start, tag
                start = tag
            yield start, end

    def _trimmed(self, edit: Edit) -> Edit:
        """An edit without what the old and the new text begin and end with, up to a sign or a tag."""
        old, new = self._text[edit.start : edit.end], edit.new
        most = min(len(old), len(new))
        head = next((i for i in range(most) if old[i] != new[i]), most)
        while 0 < head < len(old) and self._is_within_word(edit.start + head):
            head -= 1
        most -= head
        tail = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
        while 0 < tail < len(old) and self._is_within_word(edit.end - tail):
            tail -= 1
        return Edit(edit.start + head, edit.end - tail, new[head : len(new) - tail])

    def _is_within_word(self, at: int) -> bool:
        """Whether neither a sign nor a tag is before or behind a place."""
        if not (self._text[at - 1].isalnum() and self._text[at].isalnum()):
            return False
        tag = bisect_right(self._tags, at) - 1
        return tag < 0 or self._tags[tag] != at

    def _left(self, edit: Edit) -> Iterator[Edit]:
        """What an edit does beyond those that there are."""
        if not self._edits:
            yield edit
            return
        at, new = edit.start, edit.new
        first = bisect_right(self._edits, edit.start, key=lambda other: other.end)
        for other in self._edits[first:]:
            if other.start >= edit.end:
                break
            if at < other.start:
                yield Edit(at, other.start, new)
                new = ""
            at = max(at, other.end)
        if at < edit.end:
            yield Edit(at, edit.end, new)


def _differences(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Where words differ: from and to which of the old ones, and of the new ones."""
    i = j = 0
    count = _TOGETHER
    while i < len(old) or j < len(new):
        if count == _TOGETHER and i < len(old) and j < len(new) and old[i] == new[j]:
            i, j = i + 1, j + 1
            continue
        here, there = old[i : i + count], new[j : j + count]
        is_all = i + count >= len(old) and j + count >= len(new)
        blocks = SequenceMatcher(None, here, there, autojunk=False).get_matching_blocks()
        if len(blocks) == 1 and not is_all and count <= _MOST:
            count *= 4
            continue
        if len(blocks) == 1 or is_all:
            end, until = (len(here), len(there)) if is_all else (len(old) - i, len(new) - j)
            blocks = [*blocks[:-1], blocks[-1]._replace(a=end, b=until)]
        else:
            del blocks[-1]
        at, now = i, j
        for block in blocks:
            if i + block.a > at or j + block.b > now:
                yield at, i + block.a, now, j + block.b
            at, now = i + block.a + block.size, j + block.b + block.size
        i, j, count = at, now, _TOGETHER
