"""The linear-time pattern dialect of rules: a regular language over ASCII, the same in every regex engine.

Allowed: literals, positive classes, `\\d`, groups, alternatives, greedy repeats. Not allowed: anchors and `\\b` (boundaries
are the engine's), look-around, back-references, negated classes, `.`, lazy or possessive repeats, characters outside ASCII.
So a pattern means the same to Python's `re` and to the Rust engine in polars, and its gate can be derived from its parse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from piiscan.errors import RuleError

UNBOUNDED = 1 << 30


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of a set of ASCII codes."""

    codes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    item: Node
    low: int
    high: int


Node = Chars | Sequence | Choice | Repeat

_CATEGORIES = {
    c.CATEGORY_DIGIT: frozenset(range(48, 58)),
    c.CATEGORY_SPACE: frozenset(b" \t\n\r\f\v"),
    c.CATEGORY_WORD: frozenset(b"0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
}


def parse(pattern: str, where: str) -> Node:
    """The parse of a pattern. Raises `RuleError` where it leaves the dialect; `where` names the rule in the message."""
    if not pattern.isascii():
        raise RuleError(f"{where}: a pattern holds ASCII characters only")
    try:
        parsed = _parser.parse(pattern, re.ASCII)
    except re.error as error:
        raise RuleError(f"{where}: not a regular expression: {error}") from None
    return _sequence(parsed, where)


def _sequence(parsed: Any, where: str) -> Node:
    items = tuple(_node(op, value, where) for op, value in parsed)
    return items[0] if len(items) == 1 else Sequence(items)


def _node(op: Any, value: Any, where: str) -> Node:
    if op is c.LITERAL:
        return Chars(frozenset((value,)))
    if op is c.IN:
        return Chars(_class(value, where))
    if op is c.MAX_REPEAT:
        low, high, item = value
        return Repeat(_sequence(item, where), low, UNBOUNDED if high is c.MAXREPEAT else high)
    if op is c.SUBPATTERN:
        _, add, remove, item = value
        if add or remove:
            raise RuleError(f"{where}: flags inside a pattern; use ignore_case = true")
        return _sequence(item, where)
    if op is c.BRANCH:
        return Choice(tuple(_sequence(branch, where) for branch in value[1]))
    raise RuleError(
        f"{where}: {str(op).lower()} is outside the linear dialect (no anchors, look-around, '.', lazy repeats, back-references)"
    )


def _class(items: Any, where: str) -> frozenset[int]:
    codes: set[int] = set()
    for op, value in items:
        if op is c.LITERAL:
            codes.add(value)
        elif op is c.RANGE:
            codes.update(range(value[0], value[1] + 1))
        elif op is c.CATEGORY and value in _CATEGORIES:
            codes |= _CATEGORIES[value]
        else:
            raise RuleError(f"{where}: negated classes are outside the linear dialect")
    return frozenset(codes)
