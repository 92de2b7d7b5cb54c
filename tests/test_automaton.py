"""What is proven about patterns, held against all short strings of small patterns: overlaps, lengths of digits, what
every match contains."""

from __future__ import annotations

import re
from functools import cache
from itertools import product

import polars as pl
import pytest
import strategies as some
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from piiscan.rules import dialect, pattern_analysis
from piiscan.rules.dialect import Chars, Choice, Node, Repeat, Sequence

MOST = 5
"""Longest text tried, in characters."""
DIGITS = 3
"""Longest string of digits tried: all of them."""
SHORT = tuple("".join(chars) for n in range(5) for chars in product(some.SMALL, repeat=n))


@cache
def language(node: Node, most: int = MOST) -> frozenset[str]:
    """Every match of up to `most` characters, by the meaning of a pattern alone."""
    match node:
        case Chars(codes):
            return frozenset(map(chr, codes)) if most else frozenset()
        case Choice(branches):
            return frozenset().union(*(language(branch, most) for branch in branches))
        case Sequence(items):
            found = frozenset([""])
            for item in items:
                found = joined(found, language(item, most), most)
            return found
        case Repeat(item, low, high):
            once = language(item, most)
            power = all_powers = frozenset([""])
            for n in range(1, min(high, low + most) + 1):
                power = joined(power, once, most)
                all_powers = power if n <= low else all_powers | power
            return all_powers
    raise TypeError(node)


def joined(left: frozenset[str], right: frozenset[str], most: int) -> frozenset[str]:
    by_length = [[b for b in right if len(b) <= most - n] for n in range(most + 1)]
    return frozenset(a + b for a in left for b in by_length[len(a)])


def accepts(machine: pattern_analysis.Automaton, text: str) -> bool:
    """A run of the automaton, state by state."""
    states = machine.first
    for i, char in enumerate(text):
        if i:
            states = frozenset().union(*(machine.follow[state] for state in states))
        states = frozenset(state for state in states if machine.masks[state] >> ord(char) & 1)
    return bool(states & machine.last)


def kinds(text: str) -> str:
    """A text with every digit as 0, capital as A, small letter as a."""
    return "".join("0" if c.isdigit() else "A" if c.isupper() else "a" if c.islower() else c for c in text)


def longest(node: Node) -> int:
    return dialect.length(node)[1]


small = some.patterns
finite = small.filter(lambda node: longest(node) <= MOST)
digit_sets = st.sampled_from(["0123456789", "01234", "56789", "0", "13579", "012345678", "0123456789a", "a-"])
digit_patterns: st.SearchStrategy[Node] = st.recursive(
    digit_sets.map(lambda chars: Chars(frozenset(map(ord, chars)))), some._compound, max_leaves=6
)
tried = settings(max_examples=150, deadline=None)


@given(node=small)
@tried
def test_a_pattern_means_the_same_to_every_engine(node: Node) -> None:
    """The parse, Python's `re`, the regexes of polars and the automaton."""
    text = dialect.render(node)
    wanted = {word for word in SHORT if word in language(node)}
    assert {word for word in SHORT if re.fullmatch(text, word, re.ASCII)} == wanted
    assert set(pl.Series(SHORT).filter(pl.Series(SHORT).str.contains(f"^(?-u:{text})$"))) == wanted
    machine = pattern_analysis.automaton(node)
    assert {word for word in SHORT if word and accepts(machine, word)} == wanted - {""}


@given(node=small)
@tried
def test_what_is_rendered_is_read_back(node: Node) -> None:
    assert language(dialect.parse(dialect.render(node), "a pattern")) == language(node)


@given(node=finite)
@tried
def test_lengths(node: Node) -> None:
    lengths = set(map(len, language(node)))
    assert dialect.length(node) == (min(lengths), max(lengths))


@given(node=small)
@tried
def test_case_expanded(node: Node) -> None:
    """Of ASCII letters, either case; nothing else changes."""
    expanded = dialect.render(dialect.expand_case(node))
    folded = {word.lower() for word in language(node)}
    assert {word for word in SHORT if re.fullmatch(expanded, word)} == {
        word for word in SHORT if word.lower() in folded
    }


@given(one=finite, other=small)
@tried
def test_overlap(one: Node, other: Node) -> None:
    """Whether some text, not the empty one, is a match of both."""
    both = (language(one) & language(other)) - {""}
    machines = pattern_analysis.automaton(one), pattern_analysis.automaton(other)
    assert pattern_analysis.overlap(*machines) == pattern_analysis.overlap(*machines[::-1]) == bool(both)


@given(one=small, other=small)
@tried
def test_no_overlap_is_missed(one: Node, other: Node) -> None:
    assume((language(one) & language(other)) - {""})
    assert pattern_analysis.overlap(pattern_analysis.automaton(one), pattern_analysis.automaton(other))


@given(node=digit_patterns, most_subsets=st.sampled_from([pattern_analysis._MOST_SUBSETS, 2, 1]))
@settings(max_examples=100, deadline=None)
def test_lengths_of_digits(node: Node, most_subsets: int) -> None:
    """Lengths at which some, and every, string of digits matches. Where it gets too much to decide, some may."""
    regex = re.compile(dialect.render(node))
    matched = {n: sum(bool(regex.fullmatch(f"{i:0{n}}")) for i in range(10**n)) for n in range(1, DIGITS + 1)}
    some_match = {n for n, count in matched.items() if count}
    all_match = {n for n, count in matched.items() if count == 10**n}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_analysis, "_MOST_SUBSETS", most_subsets)
        found, every = map(set, pattern_analysis.digit_lengths(pattern_analysis.automaton(node), DIGITS))
    assert found >= some_match
    assert every <= all_match
    if most_subsets == pattern_analysis._MOST_SUBSETS:
        assert (found, every) == (some_match, all_match)


@pytest.mark.parametrize(
    ("pattern", "longest_tried", "wanted"),
    [
        (r"\d{4}", 40, ((4,), (4,))),
        (r"\d{3,5}", 40, ((3, 4, 5), (3, 4, 5))),
        (r"\d{3}-?\d{2}", 40, ((5,), (5,))),
        (r"[1-9]\d*", 4, ((1, 2, 3, 4), ())),
        (r"[A-Z]\d+", 40, ((), ())),
        (r"0|1\d|[2-9]\d{2}", 40, ((1, 2, 3), ())),
        (r"\d+", 3, ((1, 2, 3), (1, 2, 3))),
    ],
)
def test_lengths_of_digits_by_example(pattern: str, longest_tried: int, wanted: object) -> None:
    assert (
        pattern_analysis.digit_lengths(pattern_analysis.automaton(dialect.parse(pattern, "")), longest_tried) == wanted
    )


@given(node=small)
@tried
def test_what_every_match_contains(node: Node) -> None:
    words = language(node)
    assume(words)
    shared = frozenset(map(ord, set.intersection(*map(set, words))))
    fewest = min(sum(map(str.isdigit, word)) for word in words)
    if longest(node) <= MOST:
        assert pattern_analysis.needs(node) == shared
        assert pattern_analysis.fewest_digits(node) == fewest
    else:
        assert pattern_analysis.needs(node) <= shared
        assert pattern_analysis.fewest_digits(node) <= fewest


@given(node=small)
@tried
def test_every_match_contains_a_window(node: Node) -> None:
    windows = pattern_analysis.windows(node)
    assert all(windows) == (dialect.length(node)[0] > 0), "only the empty match contains no window"
    assert max(sum(element.low for element in window) for window in windows) <= pattern_analysis.LONGEST_WINDOW
    regex = re.compile("|".join("".join(map(dialect.render, window)) for window in windows))
    assert [word for word in language(node) if not regex.search(word)] == []


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"\d{3}-\d{2}-\d{4}", [r"\d{3}-\d{2}-\d"]),
        (r"[a-z]+@[a-z]+(?:\.[a-z]+)+", [r"[a-z]@[a-z]"]),
        (r"(?:AKIA|ASIA)[A-Z0-9]{16}", [r"A[KS]IA[0-9A-Z]{4}"]),
        (r"-----BEGIN [A-Z ]{1,20}KEY-----", ["---BEGIN"]),
        (r"(?:abc|x)[a-z ]*", ["abc", "x"]),
        (r"a?b*", [""]),
    ],
)
def test_windows_by_example(pattern: str, wanted: list[str]) -> None:
    """The rarest stretch, not the first one; of a choice, one of each branch."""
    found = ["".join(map(dialect.render, window)) for window in pattern_analysis.windows(dialect.parse(pattern, ""))]
    assert found == [dialect.render(dialect.parse(text, "")) for text in wanted]


@given(node=small, fewest=st.sampled_from([1, 2, pattern_analysis.MANY_LETTERS]))
@tried
def test_a_widened_pattern_matches_more(node: Node, fewest: int) -> None:
    regex = re.compile(dialect.render(pattern_analysis.widen(node, fewest)))
    assert [word for word in language(node) if not regex.fullmatch(word)] == []


@given(node=small)
@tried
def test_the_widest_pattern_knows_kinds_of_characters_only(node: Node) -> None:
    regex = re.compile(dialect.render(pattern_analysis.widen(node, 1)))
    assert [word for word in SHORT if bool(regex.fullmatch(word)) != bool(regex.fullmatch(kinds(word)))] == []


def ways(node: Node, text: str) -> int:
    """In how many ways a text can be read as a match, where no repeat reads nothing."""
    match node:
        case Chars(codes):
            return int(len(text) == 1 and ord(text) in codes)
        case Choice(branches):
            return sum(ways(branch, text) for branch in branches)
        case Sequence(()):
            return int(not text)
        case Sequence(items):
            return sum(ways(items[0], text[:i]) * ways(Sequence(items[1:]), text[i:]) for i in range(len(text) + 1))
        case Repeat(item, low, high):
            low = 0 if ways(item, "") else low
            if not text:
                return int(not low)
            if not high:
                return 0
            rest = Repeat(item, max(0, low - 1), high if high == dialect.UNBOUNDED else high - 1)
            return sum(ways(item, text[:i]) * ways(rest, text[i:]) for i in range(1, len(text) + 1))
    raise TypeError(node)


@given(node=some.patterns)
@settings(max_examples=60, deadline=None)
def test_no_ambiguity_is_missed(node: Node) -> None:
    """A text that a repeat without end can read in two ways can be repeated, and be read in exponentially many."""
    endless = Repeat(node, 1, dialect.UNBOUNDED)
    if any(ways(endless, word) > 1 for word in SHORT[::3] if word and re.fullmatch(dialect.render(endless), word)):
        assert pattern_analysis.ambiguous(endless)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"a+b+", False),
        (r"(?:[a-z]+ )+!", False),
        (r"[a-z]+(?:\.[a-z]+)+", False),
        (r"(?:abc|abd)+", False),
        (r"(?:a?)+b", False),
        (r"(?:\d{1,4}[ -]?){2,6}", False),
        (r"(?:[a-z]{1,200} ){1,100}", False),
        (r"(?:[a-z]+ ?)+!", True),
        (r"(?:a*)*b", True),
        (r"(?:a?b?)+c", True),
        (r"(?:ab|a|b)+c", True),
        (r"(?:[a-z]{1,20} ?){1,20}!", True),
        (r"x(?:\d+(?:[.]?\d)?)*y", True),
    ],
)
def test_ambiguity_by_example(pattern: str, wanted: bool) -> None:
    """What a repeat repeats has to tell where it ends."""
    assert pattern_analysis.ambiguous(dialect.parse(pattern, "")) == wanted
