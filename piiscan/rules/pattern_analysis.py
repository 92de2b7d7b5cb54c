"""Proofs about patterns: which two can match the same text, what every match contains, and whether one is ambiguous.

All work on the parse of the linear dialect, at build time, with the standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Rows
from collections.abc import Set as States
from dataclasses import dataclass
from typing import NamedTuple

from piiscan.rules.dialect import UNBOUNDED, Chars, Choice, Node, Repeat, Sequence, length

Window = tuple[Repeat, ...]
"""A run of repeated character sets: every match of a pattern contains one of its windows."""

LONGEST_WINDOW = 8
"""Mandatory characters in a window; more would only make the gate's automaton larger."""
WIDEST_REPEAT = 4
"""A window doesn't span a repeat with more freedom than this: long bounded repeats are what slows an automaton down."""
MANY_LETTERS = 8
"""Sets of so many letters are widened to all letters in gates."""
_MOST_WINDOWS = 24
COMMON = 0.05
"""A cost above which a window is in most cells."""
_MOST_SUBSETS = 64
_SHORT_REPEAT = 8
"""Bounded repeats that go no further are written out exactly where ambiguity is looked for; longer ones count as
endless."""
_KINDS = (frozenset(range(48, 58)), frozenset(range(65, 91)), frozenset(range(97, 123)))


@dataclass(frozen=True)
class Automaton:
    """Position automaton (Glushkov 1961): one state a character of the pattern.

    `masks` hold sets of codes as bits.
    `doubled`: steps that the pattern allows in more than one way.
    """

    masks: tuple[int, ...]
    first: frozenset[int]
    last: frozenset[int]
    follow: tuple[frozenset[int], ...]
    doubled: frozenset[tuple[int, int]]


def automaton(node: Node) -> Automaton:
    """The position automaton of a parsed pattern (of its non-empty matches)."""
    builder = _Builder()
    whole = builder.part(node)
    return Automaton(
        tuple(builder.masks),
        frozenset(whole.first),
        frozenset(whole.last),
        tuple(map(frozenset, builder.follow)),
        frozenset(builder.doubled),
    )


class _Part(NamedTuple):
    """The states of a part of a pattern that a match of it may start and end in; `empty`: it may match nothing."""

    first: set[int]
    last: set[int]
    empty: bool


class _Builder:
    """The states of an automaton, one character after the other (Glushkov's construction)."""

    def __init__(self) -> None:
        self.masks: list[int] = []
        self.follow: list[set[int]] = []
        self.doubled: set[tuple[int, int]] = set()

    def part(self, node: Node) -> _Part:
        if isinstance(node, Chars):
            return self._state(node)
        if isinstance(node, Choice):
            parts = [self.part(branch) for branch in node.branches]
            first, last = set().union(*(p.first for p in parts)), set().union(*(p.last for p in parts))
            return _Part(first, last, any(p.empty for p in parts))
        if isinstance(node, Sequence):
            return self._chain(self.part(item) for item in node.items)
        return self._repeat(node)

    def _state(self, node: Chars) -> _Part:
        state = len(self.masks)
        self.masks.append(sum(1 << code for code in node.codes))
        self.follow.append(set())
        return _Part({state}, {state}, False)

    def _repeat(self, node: Repeat) -> _Part:
        copies = [self.part(node.item) for _ in range(max(1, node.low if node.high == UNBOUNDED else node.high))]
        if node.high == UNBOUNDED:
            self._link(copies[-1].last, copies[-1].first)
        return self._chain(copy._replace(empty=copy.empty or i >= node.low) for i, copy in enumerate(copies))

    def _chain(self, parts: Iterable[_Part]) -> _Part:
        first: set[int] = set()
        last: set[int] = set()
        empty = True
        for part in parts:
            self._link(last, part.first)
            if empty:
                first |= part.first
            last = last | part.last if part.empty else part.last
            empty = empty and part.empty
        return _Part(first, last, empty)

    def _link(self, before: set[int], after: set[int]) -> None:
        for state in before:
            self.doubled.update((state, other) for other in self.follow[state] & after)
            self.follow[state] |= after


def overlap(a: Automaton, b: Automaton) -> bool:
    """Whether some text is matched, as a whole, by both."""
    todo = [(p, q) for p in a.first for q in b.first if a.masks[p] & b.masks[q]]
    seen = set(todo)
    while todo:
        p, q = todo.pop()
        if p in a.last and q in b.last:
            return True
        for p2 in a.follow[p]:
            for q2 in b.follow[q]:
                if (p2, q2) not in seen and a.masks[p2] & b.masks[q2]:
                    seen.add((p2, q2))
                    todo.append((p2, q2))
    return False


def ambiguous(node: Node) -> bool:
    """Return whether some texts can be read in exponentially many ways.

    A backtracking engine such as Python's may then take forever over them. This is so if a repeat lets one text lead
    back to a state in two ways (Weber and Seidl, "On the degree of ambiguity of finite automata", 1991, criterion
    EDA).
    """
    if not _endless(node):
        return False
    machine = automaton(_one_way(node))
    back: list[set[int]] = [set() for _ in machine.masks]
    for state, following in enumerate(machine.follow):
        for other in following:
            back[other].add(state)
    left = set(range(len(machine.masks)))
    while left:
        start = left.pop()
        loop = _reached(start, machine.follow) & _reached(start, back)
        left -= loop
        if any(p in loop and q in loop for p, q in machine.doubled) or (loop and _two_ways(machine, start, loop)):
            return True
    return False


def _reached(start: int, follow: Rows[States[int]]) -> set[int]:
    """The states after `start`, itself only where it is in a loop."""
    seen: set[int] = set()
    todo = [start]
    while todo:
        for state in follow[todo.pop()]:
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return seen


def _two_ways(machine: Automaton, start: int, loop: set[int]) -> bool:
    """Whether two different walks within a loop lead from `start` back to it over one text."""

    def steps(p: int, q: int) -> set[tuple[int, int]]:
        return {
            (a, b)
            for a in machine.follow[p] & loop
            for b in machine.follow[q] & loop
            if machine.masks[a] & machine.masks[b]
        }

    seen = {pair for state in loop for pair in steps(state, state) if pair[0] != pair[1]}
    todo = list(seen)
    while todo:
        for pair in steps(*todo.pop()):
            if pair == (start, start):
                return True
            if pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return False


def _endless(node: Node) -> bool:
    """Whether a pattern has repeats that count as endless."""
    if isinstance(node, Chars):
        return False
    if isinstance(node, Repeat):
        return (node.low < node.high and node.high > _SHORT_REPEAT) or _endless(node.item)
    return any(map(_endless, node.items if isinstance(node, Sequence) else node.branches))


def _one_way(node: Node) -> Node:
    """The same pattern with repeats written so that they can be walked in one way only: a{1,3} as a(a(a)?)?."""
    if isinstance(node, Chars):
        return node
    if isinstance(node, Sequence):
        return Sequence(tuple(map(_one_way, node.items)))
    if isinstance(node, Choice):
        return Choice(tuple(map(_one_way, node.branches)))
    item = _one_way(node.item)
    if node.low == node.high or node.high == UNBOUNDED:
        return Repeat(item, node.low, node.high)
    if node.high > _SHORT_REPEAT:
        return Repeat(item, node.low, UNBOUNDED)
    rest = Repeat(item, 0, 1)
    for _ in range(node.high - node.low - 1):
        rest = Repeat(Sequence((item, rest)), 0, 1)
    return Sequence((Repeat(item, node.low, node.low), rest)) if node.low else rest


def digit_lengths(machine: Automaton, longest: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Lengths up to `longest` at which some string of ASCII digits is a match; and those at which every one is."""
    some: list[int] = []
    every: list[int] = []
    states = {machine.first}
    for n in range(1, longest + 1):
        reached = {
            frozenset(p for p in before if machine.masks[p] >> digit & 1)
            for before in states
            for digit in range(48, 58)
        }
        if reached == {frozenset()} or len(reached) > _MOST_SUBSETS:
            break
        accepted = [bool(now & machine.last) for now in reached]
        if any(accepted):
            some.append(n)
        if all(accepted):
            every.append(n)
        states = {frozenset().union(*(machine.follow[p] for p in now)) for now in reached}
    else:
        return tuple(some), tuple(every)
    if len(reached) > _MOST_SUBSETS:
        some += range(n, longest + 1)  # undecided: may match
    return tuple(some), tuple(every)


def needs(node: Node) -> frozenset[int]:
    """Codes of the characters that every match contains."""
    if isinstance(node, Chars):
        return node.codes if len(node.codes) == 1 else frozenset()
    if isinstance(node, Sequence):
        return frozenset().union(*map(needs, node.items))
    if isinstance(node, Choice):
        return frozenset.intersection(*map(needs, node.branches))
    return needs(node.item) if node.low else frozenset()


def fewest_digits(node: Node) -> int:
    """How many digits every match contains at least."""
    if isinstance(node, Chars):
        return int(node.codes <= _KINDS[0])
    if isinstance(node, Sequence):
        return sum(map(fewest_digits, node.items))
    if isinstance(node, Choice):
        return min(map(fewest_digits, node.branches))
    return node.low * fewest_digits(node.item)


def widen(node: Node, fewest_letters: int) -> Node:
    """Widen digits to all digits, and sets of at least so many capitals or small letters to all of them.

    Ranges of digits are what makes the union of many patterns a large automaton. With `fewest_letters` 1, what it
    matches depends on the kinds of a text's characters only.
    """
    if isinstance(node, Chars):
        wide = (k for k in _KINDS if len(node.codes & k) >= (1 if 48 in k else fewest_letters))
        return Chars(node.codes.union(*wide))
    if isinstance(node, Sequence):
        return Sequence(tuple(widen(item, fewest_letters) for item in node.items))
    if isinstance(node, Choice):
        branches = tuple(dict.fromkeys(widen(branch, fewest_letters) for branch in node.branches))
        return branches[0] if len(branches) == 1 else Choice(branches)
    return Repeat(widen(node.item, fewest_letters), node.low, node.high)


def windows(node: Node) -> tuple[Window, ...]:
    """The rarest windows of a pattern: every match contains at least one of them."""
    best = _cheapest(_options(node))
    return tuple(dict.fromkeys(best))


def _cheapest(options: list[tuple[Window, ...]]) -> tuple[Window, ...]:
    def order(option: tuple[Window, ...]) -> tuple[float, int]:
        # A common beginning, such as one digit, is worth a longer window that costs the same.
        cost = sum(map(_cost, option))
        return cost, -sum(element.low for window in option for element in window) if cost > COMMON else 0

    return min(options, key=order)


def _options(node: Node) -> list[tuple[Window, ...]]:
    """Sets of windows, each set unavoidable; never empty."""
    elements, choices = _elements(node)
    options: list[tuple[Window, ...]] = [(window,) for window in _spans(elements)]
    for choice in choices:
        union = [window for branch in choice.branches for window in _cheapest(_options(branch))]
        if len(union) <= _MOST_WINDOWS:
            options.append(tuple(union))
    return options or [((),)]


def _spans(elements: list[Repeat]) -> list[Window]:
    """Every stretch of elements that makes a window, its ends cut to what is mandatory."""
    out: list[Window] = []
    for start, first in enumerate(elements):
        if not first.low:
            continue
        mandatory = min(first.low, LONGEST_WINDOW)
        window = [Repeat(first.item, mandatory, mandatory)]
        out.append(tuple(window))
        for here in range(start + 1, len(elements)):
            element = elements[here]
            low = min(element.low, LONGEST_WINDOW - mandatory)
            if low:
                out.append((*window, Repeat(element.item, low, low)))
            mandatory += element.low
            if mandatory >= LONGEST_WINDOW or element.high - element.low > WIDEST_REPEAT:
                break
            window.append(element)
    return out


def _elements(node: Node) -> tuple[list[Repeat], list[Choice]]:
    """A pattern widened to a run of repeated character sets, and the choices that every match has to make."""
    out: list[Repeat] = []
    choices: list[Choice] = []

    def walk(n: Node) -> None:
        if isinstance(n, Chars):
            out.append(Repeat(n, 1, 1))
        elif isinstance(n, Sequence):
            for item in n.items:
                walk(item)
        elif isinstance(n, Choice):
            out.extend(_aligned(n) or [Repeat(Chars(_alphabet(n)), *length(n))])
            choices.append(n)
        elif isinstance(n.item, Chars):
            out.append(n)
        else:
            for _ in range(min(n.low, LONGEST_WINDOW)):
                walk(n.item)
            more = n.high - min(n.low, LONGEST_WINDOW)
            if more:
                out.append(Repeat(Chars(_alphabet(n.item)), 0, min(UNBOUNDED, more * length(n.item)[1])))

    walk(node)
    return out, choices


def _aligned(choice: Choice) -> list[Repeat] | None:
    """A choice between equally long runs, position by position; None where lengths differ."""
    rows = []
    for branch in choice.branches:
        elements, _ = _elements(branch)
        if any(e.low != e.high or e.low > LONGEST_WINDOW for e in elements):
            return None
        rows.append([e.item for e in elements for _ in range(e.low)])
    if len({len(row) for row in rows}) != 1:
        return None
    return [Repeat(Chars(frozenset().union(*map(_alphabet, column))), 1, 1) for column in zip(*rows, strict=True)]


def _alphabet(node: Node) -> frozenset[int]:
    if isinstance(node, Chars):
        return node.codes
    if isinstance(node, Sequence):
        return frozenset().union(*map(_alphabet, node.items))
    if isinstance(node, Choice):
        return frozenset().union(*map(_alphabet, node.branches))
    return _alphabet(node.item)


def _cost(window: Window) -> float:
    """How often ordinary text and numbers would contain a window; only the order matters."""
    share = 1.0
    for element in window:
        share *= min(1.0, sum(map(_frequency, _alphabet(element.item)))) ** element.low
        share *= 1 + element.high - element.low
    return share


def _frequency(code: int) -> float:
    char = chr(code)
    if char.isdigit():
        return 0.03
    if char.islower():
        return 0.025
    if char.isupper():
        return 0.006
    return {" ": 0.15, "-": 0.02, ".": 0.02, ":": 0.01, "/": 0.01, "_": 0.01}.get(char, 0.002)
