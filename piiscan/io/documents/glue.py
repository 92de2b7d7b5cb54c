"""Joins text that tags divide."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

_JOINS = frozenset("@.+-_%")


def glued(pieces: Iterable[str]) -> list[str]:
    """Join pieces of a text that are divided by tags, as one text.

    Where that might have created a word, a second version is added, with spaces.

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
