"""What a document holds beside the values of its tables: comments, tags and instructions, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from piiscan.io import asides
from piiscan.io.content import Content, ReadTable

Span = tuple[int, int]
_SAYS: re.Pattern[str] = re.compile(r"[^\W_]")


class Unparsed(Exception):
    """A text isn't what its name or its first characters promise, or more than may be held; it is read as lines.

    The message says which, without quoting it.
    """


def lines_without(text: str, spent: Iterable[Span]) -> list[str]:
    """The lines of a text without the spans that became cells or headers.

    Lines keep their numbers: those in which nothing but marks is left are empty. `spent`: in any order; they may
    overlap.
    """
    parts, at = [], 0
    for start, end in sorted(spent):
        if start > at:
            parts.append(text[at:start])
        if end > at:
            parts.append(" " + "\n" * text.count("\n", max(at, start), end))
            at = end
    parts.append(text[at:])
    return [line.strip() if _SAYS.search(line) else "" for line in "".join(parts).split("\n")]


def table(content: Content, lines: Sequence[str], name: str = "#comments") -> Iterator[ReadTable]:
    """The table of such lines, if they say anything. A writer copies them as they are."""
    if any(lines):
        yield asides.texts(content, name, lines, copied=True)


def keys_of_nothing(value: Any) -> Iterator[str]:
    """The keys of empty objects and lists: where rows are made of objects, they may head no column."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if type(inner) is dict:
            yield from (key for key, held in inner.items() if type(held) in (dict, list) and not held)
            waiting.extend(inner.values())
        elif type(inner) is list:
            waiting.extend(inner)
