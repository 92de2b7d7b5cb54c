r"""The linear-time pattern dialect of rules: a regular language over ASCII, the same in every regex engine.

Allowed: literals, positive classes, `\d`, groups, alternatives, greedy repeats. Not allowed: anchors and `\b`
(boundaries are the engine's), look-around, back-references, negated classes, `.`, lazy or possessive repeats,
characters outside ASCII. So a pattern means the same to Python's `re` and to the Rust engine in polars, and its gate
can be derived from its parse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from piiscan.core.errors import RuleError

UNBOUNDED = 1 << 30


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of a set of ASCII codes."""

    codes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Sequence:
    """Items one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several branches."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """An item repeated `low` to `high` times."""

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
        raise RuleError(f"{where}: a pattern may contain only ASCII characters")
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
        f"{where}: {str(op).lower()} is outside the linear dialect (no anchors, look-around, '.', lazy "
        "repeats, back-references)"
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


def expand_case(node: Node) -> Node:
    """The same pattern with every letter in both cases, so that no engine's own idea of case matters."""
    if isinstance(node, Chars):
        return Chars(frozenset(ord(v) for code in node.codes for v in (chr(code).lower(), chr(code).upper())))
    if isinstance(node, Sequence):
        return Sequence(tuple(map(expand_case, node.items)))
    if isinstance(node, Choice):
        return Choice(tuple(map(expand_case, node.branches)))
    return Repeat(expand_case(node.item), node.low, node.high)


def render(node: Node) -> str:
    """A pattern's parse as text that Python's `re` and Rust's regex read alike."""
    if isinstance(node, Chars):
        return render_class(node.codes)
    if isinstance(node, Sequence):
        return "".join(map(render, node.items))
    if isinstance(node, Choice):
        return "(?:" + "|".join(map(render, node.branches)) + ")"
    item = render(node.item)
    if isinstance(node.item, (Sequence, Repeat)):
        item = f"(?:{item})"
    if (node.low, node.high) == (1, 1):
        return item
    quantifier = {(0, 1): "?", (0, UNBOUNDED): "*", (1, UNBOUNDED): "+"}.get((node.low, node.high))
    if quantifier is None:
        high = "" if node.high == UNBOUNDED else str(node.high)
        quantifier = f"{{{node.low}}}" if node.low == node.high else f"{{{node.low},{high}}}"
    return item + quantifier


def render_class(codes: frozenset[int]) -> str:
    """A set of characters as text: one character, or a class in brackets."""
    if len(codes) == 1:
        return _render_char(next(iter(codes)))
    ranges: list[list[int]] = []
    for code in sorted(codes):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    parts = [_render_char(a) if a == b else f"{_render_char(a)}-{_render_char(b)}" for a, b in ranges]
    return "[" + "".join(parts) + "]"


def _render_char(code: int) -> str:
    char = chr(code)
    return char if char.isalnum() else f"\\x{code:02x}"


def length(node: Node) -> tuple[int, int]:
    """The shortest and the longest match; UNBOUNDED where there is no longest."""
    if isinstance(node, Chars):
        return 1, 1
    if isinstance(node, Sequence):
        parts = [length(item) for item in node.items]
        return sum(p[0] for p in parts), min(UNBOUNDED, sum(p[1] for p in parts))
    if isinstance(node, Choice):
        parts = [length(branch) for branch in node.branches]
        return min(p[0] for p in parts), max(p[1] for p in parts)
    low, high = length(node.item)
    return low * node.low, min(UNBOUNDED, high * node.high)


def alphabet(node: Node) -> frozenset[int]:
    """The ASCII codes that occur in some match."""
    if isinstance(node, Chars):
        return node.codes
    if isinstance(node, Repeat):
        return alphabet(node.item)
    return frozenset().union(*map(alphabet, node.items if isinstance(node, Sequence) else node.branches))


def written_out(node: Node) -> int:
    """How many character sets a pattern is of when its bounded repeats are written out."""
    if isinstance(node, Chars):
        return 1
    if isinstance(node, Repeat):
        return written_out(node.item) * max(1, node.low if node.high == UNBOUNDED else node.high)
    return sum(map(written_out, node.items if isinstance(node, Sequence) else node.branches))


def widest_repeat(node: Node) -> int:
    """The largest difference between the bounds of a repeat that has an upper one; 0 where there is none."""
    if isinstance(node, Chars):
        return 0
    if isinstance(node, Repeat):
        return max(widest_repeat(node.item), 0 if node.high == UNBOUNDED else node.high - node.low)
    return max(map(widest_repeat, node.items if isinstance(node, Sequence) else node.branches), default=0)
