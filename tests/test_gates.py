"""No gate loses a cell: whatever a rule counts has passed everything that stands before the rule.

What a rule counts is told by `reference` alone. Each test asks, for every rule and many cells, whether a shortcut that
the engine takes for speed would have let a cell go that the rule matches.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import polars as pl
import pytest
import strategies as some

from piiscan.detection.matching import prefilter as gate_module
from piiscan.detection.matching import reference
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.rules.compile_rules import LONGEST_DIGITS, CompiledRules, Pattern, build
from piiscan.rules.definitions import RuleSet, parse_rule
from piiscan.rules.rule_sets import compiled_rules, shipped

DRAWN = 12
"""Random strings of each pattern."""

USER = (
    {
        "id": "own-any",
        "search": "anywhere",
        "pattern": r"(?:Q-?){2,5}\d{1,9}x*",
        "match": ["Q-Q12"],
        "no_match": ["Q1"],
    },
    {
        "id": "own-checked",
        "search": "anywhere",
        "pattern": r"QQ-?\d{4}",
        "check": "luhn",
        "chance": 0.1,
        "match": ["QQ0000"],
        "no_match": ["QQ0001"],
    },
    {
        "id": "own-empty-start",
        "search": "anywhere",
        "boundary": "word",
        "pattern": r"x?\.?[ab]{0,3}\d+z?",
        "match": ["1"],
        "no_match": ["z"],
    },
    {
        "id": "own-context",
        "search": "context",
        "context": ["été du", "no"],
        "pattern": r"\d{2,45}",
        "match": ["11"],
        "no_match": ["1"],
    },
    {
        "id": "own-case",
        "search": "context",
        "context": ["key"],
        "pattern": "ab[c-z]{3}",
        "ignore_case": True,
        "match": ["ABcde"],
        "no_match": ["ab"],
    },
    {
        "id": "own-words",
        "search": "context",
        "context": ["key"],
        "pattern": r"[a-z]{4}( [a-z]{4})*",
        "match": ["abcd"],
        "no_match": ["ab"],
    },
    {
        "id": "own-marks",
        "search": "context",
        "context": ["key"],
        "pattern": r"#[!-/]+#",
        "match": ["#!#"],
        "no_match": ["##"],
    },
    {
        "id": "own-timed",
        "search": "anywhere",
        "engine": "regex",
        "gate": "[A-Z]{2}[0-9]",
        "pattern": "(?<!X)[A-Z]{2}[0-9]{3}(?=-ok)",
        "match": [],
        "no_match": [],
    },
)


@cache
def user_rules() -> CompiledRules:
    """Rules of a user, of shapes that no shipped one has, beside the shipped ones."""
    plain = {"entity": "NATIONAL_ID", "title": "X", "match": ["?"], "no_match": ["?"]}
    own = tuple(parse_rule(plain | {k: v for k, v in raw.items() if v != []}, "own.toml", Path()) for raw in USER)
    return compiled_rules(shipped().rules + RuleSet(own))


Cells = dict[str, list[str]]


@cache
def whole_cells() -> Cells:
    """Rule → cells that are a match of its pattern: random ones (whatever their check says), its examples, padded
    ones."""
    rng = random.Random("whole")
    found: Cells = {}
    for pattern in linear():
        texts = [some.draw(node_of(pattern), rng) for _ in range(DRAWN)] + list(pattern.rule.match)
        texts += [some.draw(node_of(pattern), rng, most=40)]
        cells = [*texts, *(some.padded(text, rng) for text in texts)]
        found[pattern.rule.id] = [
            c for c in some.not_blank(cells) if reference.matches_whole(pattern, c.strip(reference.SPACES))
        ]
    return found


@cache
def inner_cells() -> Cells:
    """Rule → cells that hold a match between its boundaries, some of them near the rule's context."""
    rng = random.Random("inner")
    found: Cells = {}
    for pattern in linear():
        cells = [
            around(cell.strip(reference.SPACES))
            for cell in whole_cells()[pattern.rule.id]
            for around in (
                lambda v: some.embedded(v, rng),
                lambda v: some.embedded(some.in_context(pattern.rule, v, rng), rng),  # noqa: B023
            )
        ]
        found[pattern.rule.id] = [
            c for c in cells if reference.compiled_regex(pattern.exact).search(c.strip(reference.SPACES))
        ]
    return found


def linear() -> tuple[Pattern, ...]:
    return user_rules().of("anywhere", "context", "cell")


def node_of(pattern: Pattern) -> some.Node:
    return some.node_of(pattern.rule)


@cache
def prefilter() -> Prefilter:
    return Prefilter(user_rules())


def lost(wanted: Iterable[tuple[str, Iterable[str]]], regex: str | None) -> list[tuple[str, str]]:
    """(rule, cell) pairs that a gate doesn't let through."""
    pairs = [(rule, cell) for rule, cells in wanted for cell in cells]
    assert pairs, "nothing was tried"
    assert regex is not None
    through = pl.Series([cell for _, cell in pairs]).str.contains(regex).to_list()
    return [pair for pair, passed in zip(pairs, through, strict=True) if not passed][:5]


def matching(searches: Iterable[str], *kinds: Callable[[], Cells]) -> list[tuple[str, list[str]]]:
    return [(p.rule.id, kind()[p.rule.id]) for p in user_rules().of(*searches) for kind in kinds]


@pytest.mark.parametrize("pattern", linear(), ids=lambda p: p.rule.id)
def test_every_rule_is_tried(pattern: Pattern) -> None:
    """Enough cells of each kind; else the tests below say nothing about a rule."""
    assert len(whole_cells()[pattern.rule.id]) >= DRAWN
    assert pattern.rule.search == "cell" or len(inner_cells()[pattern.rule.id]) >= DRAWN // 2


def test_gates_of_all_cells() -> None:
    """The first gate, and those of what is searched anywhere and of what needs context."""
    assert lost(matching(("anywhere", "context"), whole_cells, inner_cells), prefilter().first) == []
    assert lost(matching(("anywhere",), whole_cells, inner_cells), prefilter().anywhere) == []
    assert lost(matching(("context",), whole_cells, inner_cells), prefilter().context) == []
    assert lost(matching(("context",), whole_cells), prefilter().whole) == []


@pytest.mark.parametrize("search", ["anywhere", "context"])
def test_gates_of_groups(search: str) -> None:
    groups = prefilter().anywhere_groups if search == "anywhere" else prefilter().context_groups
    assert {p.rule.id for group in groups for p in group.patterns} == {p.rule.id for p in user_rules().of(search)}
    for group in groups:
        wanted = [(p.rule.id, kind()[p.rule.id]) for p in group.patterns for kind in (whole_cells, inner_cells)]
        assert lost(wanted, group.any_match) == []


def test_gates_of_context() -> None:
    """Where a context phrase of a rule stands in a cell, the first letters and one word of it are found."""
    spoken = [
        (p.rule.id, [cell for cell in inner_cells()[p.rule.id] if reference.has_context(p, cell)])
        for p in user_rules().of("context")
    ]
    assert sum(len(cells) for _, cells in spoken) > 1000
    assert lost(spoken, prefilter().context_start) == []
    for rule, cells in spoken:
        words = pl.Series(cells, dtype=pl.String).str.contains_any(
            prefilter().context_words, ascii_case_insensitive=True
        )
        assert [cell for cell, found in zip(cells, words.to_list(), strict=True) if not found] == [], rule


@pytest.mark.parametrize("length", range(1, LONGEST_DIGITS + 1))
def test_rules_of_digits(length: int) -> None:
    """Strings of digits: a rule is asked only at its lengths, and not even asked where every such string is a match."""
    rng = random.Random(length)
    cells = ["".join(rng.choices("0123456789", k=length)) for _ in range(20)]
    cells += [c for cells in whole_cells().values() for c in cells if c.isdigit() and len(c) == length]
    for pattern in linear():
        found = [cell for cell in cells if reference.matches_whole(pattern, cell)]
        assert not found or length in pattern.digits
        assert length not in pattern.all_digits or found == cells
        assert pattern not in user_rules().of("context") or not found or pattern in prefilter().of_digits(length)


def test_rules_of_lengths_and_looks() -> None:
    """The rules that a length, or the kinds of a cell's characters, allow."""
    for pattern in user_rules().of("context"):
        for cell in {cell.strip(reference.SPACES) for cell in whole_cells()[pattern.rule.id]}:
            assert pattern in prefilter().of_length(len(cell))
            assert pattern in prefilter().of_kinds(kinds(cell))


def kinds(text: str) -> str:
    return "".join("0" if c.isdigit() else "A" if c.isupper() else "a" if c.islower() else c for c in text)


def test_facts_about_every_pattern() -> None:
    """What is known of a pattern at build time holds for its matches."""
    for pattern in linear():
        for match in {cell.strip(reference.SPACES) for cell in whole_cells()[pattern.rule.id]}:
            assert pattern.shortest <= len(match) <= pattern.longest
            assert set(pattern.needs) <= set(match)
            assert pattern.fewest_digits <= sum(map(str.isdigit, match))
            assert any(reference.compiled_regex(window).search(match) for window in pattern.windows)
            assert reference.compiled_regex(pattern.coarse).fullmatch(match)
            assert reference.compiled_regex(pattern.kinds).fullmatch(kinds(match))
    wanted = [
        (p.rule.id, cells()[p.rule.id]) for p in linear() for cells in (whole_cells, inner_cells) if all(p.windows)
    ]
    for rule, cells in wanted:
        assert not cells or lost([(rule, cells)], gate_module.windows([user_rules().patterns[rule]])) == []


def test_the_rust_patterns_say_what_pythons_say() -> None:
    """`whole` and `within`, which polars runs, beside `text` and `exact`, which Python runs."""
    odd = [cell for cells in inner_cells().values() for cell in cells[::9]]
    for pattern in linear():
        cells = [
            *whole_cells()[pattern.rule.id],
            *inner_cells()[pattern.rule.id],
            *random.Random(pattern.rule.id).sample(odd, 40),
        ]
        series, stripped = pl.Series(cells), [cell.strip(reference.SPACES) for cell in cells]
        assert series.str.contains(pattern.whole).to_list() == [
            reference.matches_whole(pattern, cell) for cell in stripped
        ]
        assert series.str.contains(pattern.within).to_list() == [
            bool(reference.compiled_regex(pattern.exact).search(cell)) for cell in cells
        ]


def test_claims() -> None:
    """A cell that a rule claims looks claimed, and every rule that could claim it first is known as a rival."""
    assert prefilter().claim_re is not None
    claiming = sorted((p for p in linear() if p.claims), key=lambda p: p.priority)
    assert list(prefilter().claiming) == claiming
    contested = set()
    for cell in {cell.strip(reference.SPACES) for p in claiming for cell in whole_cells()[p.rule.id]}:
        found = [p for p in claiming if p.shortest <= len(cell) <= p.longest and reference.matches_whole(p, cell)]
        assert found
        assert prefilter().claim_re.fullmatch(cell)
        for i, pattern in enumerate(found):
            assert {p.rule.id for p in found[:i]} <= set(pattern.rivals)
            contested |= {(pattern.rule.id, p.rule.id) for p in found[:i]}
    assert ("own-any", "own-checked") in contested


def test_rivals_are_real() -> None:
    """Rivalry is proven, not guessed: rules that are made from disjoint patterns have none."""
    plain = {"entity": "NATIONAL_ID", "title": "X", "search": "anywhere", "match": ["?"], "no_match": ["?"]}
    patterns = {"a": r"A\d{4}", "b": r"[AB]\d{2}3\d", "c": r"B\d{3}4", "d": r"A\d{5}"}
    own = (parse_rule(plain | {"id": i, "pattern": text}, "own.toml", Path()) for i, text in patterns.items())
    found = build(RuleSet(tuple(own))).patterns
    assert {i: p.rivals for i, p in found.items()} == {"a": (), "b": ("a",), "c": ("b",), "d": ()}


@pytest.mark.parametrize("before", ["", "see ", "(", "a-", "é", "-é", "\N{KELVIN SIGN}"])
def test_context_leads_to_its_rules(before: str) -> None:
    """Wherever a phrase stands, in whatever spelling, its first word names every rule that it is context of."""
    for pattern in user_rules().of("context"):
        for phrase in pattern.phrases:
            for text in (phrase, phrase.upper(), phrase.replace(" ", ""), phrase.replace(" ", "-"), phrase + ": 1"):
                if reference.has_context(pattern, before + text):
                    assert pattern in prefilter().spoken_of(before + text), (phrase, text)
