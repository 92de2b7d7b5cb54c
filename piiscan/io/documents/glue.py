"""Text between tags, put together again."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

_JOINS = frozenset("@.+-_%")


def glued(pieces: Iterable[str]) -> list[str]:
    """What pieces of a text say that tags stand between, as one text; and, where a word might have come about by that,
    a second time with spaces.

    >>> glued(["Ann ", "Example", " lives"]), glued(["a@example.com", "bcc"])
    (['Ann Example lives'], ['a@example.combcc', 'a@example.com bcc'])
    """
    held = [piece for piece in pieces if piece]
    whole = " ".join("".join(held).split())
    if not whole:
        return []
    if any(_joins(left[-1]) and _joins(right[0]) for left, right in pairwise(held)):
        return [whole, " ".join(" ".join(held).split())]
    return [whole]


def _joins(char: str) -> bool:
    return char.isalnum() or char in _JOINS
