"""Rules made ready to run: patterns as text for both regex engines, gates, priorities. Standard library only.

Making a program takes seconds (it proves which rules can claim the same cell), so the shipped one is made at build time
and read back as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from piiscan.core import header_words
from piiscan.rules.definitions import Rule, RuleSet

if TYPE_CHECKING:
    from piiscan.rules import dialect, pattern_analysis

SHORTEST_CONTEXT = 3
LONGEST_DIGITS = 40
"""Longer strings of digits are tried against every rule."""
SPACE = r"[ \t\r\n]*"
LEFT = {
    "number": (r"(?:^|[^0-9A-Za-z_.\-]|(?:^|[^0-9A-Za-z_])[.\-])", r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z_][.\-])"),
    "word": (r"(?:^|[^0-9A-Za-z_])", r"(?<![0-9A-Za-z_])"),
}
RIGHT = {
    "number": (r"(?:$|[^0-9A-Za-z_.\-]|[.\-](?:$|[^0-9A-Za-z_]))", r"(?![0-9A-Za-z_]|[.\-][0-9A-Za-z_])"),
    "word": (r"(?:$|[^0-9A-Za-z_])", r"(?![0-9A-Za-z_])"),
}


@dataclass(frozen=True, eq=False)
class Pattern:
    """A rule's pattern, ready to run.

    `text`: the plain pattern, the same to every engine. `shortest`, `longest`: lengths of a match in characters.
    `needs`: characters that every match contains; `fewest_digits`: how many digits it contains at least.
    `phrases`: the context phrases, their words joined by a space. `windows`: texts of which every match contains one.
    `coarse`, `kinds`: the pattern widened (`automaton.widen`) a little for gates, and down to the kinds of characters.
    `digits`: lengths at which a string of digits may match; `all_digits`: those at which every such string does.
    `rivals`: ids of `anywhere` rules of higher priority that can match the same whole cell.
    """

    rule: Rule
    text: str
    shortest: int
    longest: int
    needs: str = ""
    fewest_digits: int = 0
    phrases: tuple[str, ...] = ()
    windows: tuple[str, ...] = ()
    coarse: str = ""
    kinds: str = ""
    digits: tuple[int, ...] = ()
    all_digits: tuple[int, ...] = ()
    rivals: tuple[str, ...] = ()

    @cached_property
    def whole(self) -> str:
        """Rust: the stripped cell is a match."""
        return f"^{SPACE}(?-u:{self.text}){SPACE}$"

    @cached_property
    def within(self) -> str:
        """Rust: a match stands between its boundaries somewhere in the cell; group 1 is the match."""
        boundary = self.rule.boundary
        return f"{LEFT[boundary][0]}((?-u:{self.text})){RIGHT[boundary][0]}"

    @cached_property
    def exact(self) -> str:
        """Python: the same with look-around, so that neighbours may share a boundary."""
        boundary = self.rule.boundary
        return f"{LEFT[boundary][1]}(?:{self.text}){RIGHT[boundary][1]}"

    @property
    def priority(self) -> tuple[float, str]:
        """Lower goes first: the check that chance passes least often, then the id."""
        return self.rule.chance, self.rule.id

    @property
    def claims(self) -> bool:
        """Whether a whole cell of it, passing its check, is not tried against other rules. A URL may hold other
        things."""
        return self.rule.search == "anywhere" and self.rule.entity != "URL"


@dataclass(frozen=True, eq=False)
class Program:
    """All patterns of a rule set, by id, in the order of ids; rules by header or values only have none."""

    rules: RuleSet
    patterns: Mapping[str, Pattern]

    @cache  # noqa: B019  (a program lives as long as the process)
    def of(self, *searches: str) -> tuple[Pattern, ...]:
        """The linear patterns searched in one of these ways, by priority."""
        chosen = (p for p in self.patterns.values() if p.rule.search in searches and p.rule.engine == "linear")
        return tuple(sorted(chosen, key=lambda p: p.priority))

    @cached_property
    def timed(self) -> tuple[Pattern, ...]:
        """User rules that need look-around, run under a time budget."""
        return tuple(p for p in self.patterns.values() if p.rule.engine == "regex")


def build(rules: RuleSet, known: Program | None = None) -> Program:
    """Compile rules; patterns of `known` are taken over where the rule is the same."""
    from piiscan.rules import dialect, pattern_analysis

    nodes = {r.id: _node(r) for r in rules.rules if r.pattern is not None}
    machines: dict[str, pattern_analysis.Automaton] = {}
    patterns = {}
    for rule in rules.rules:
        if rule.pattern is None:
            continue
        node = nodes[rule.id]
        old = known.patterns.get(rule.id) if known else None
        if old is not None and old.rule == rule:
            patterns[rule.id] = old
            continue
        low, high = dialect.length(node)
        text = rule.pattern if rule.engine == "regex" else dialect.render(node)
        windows = tuple("".join(map(dialect.render, window)) for window in pattern_analysis.windows(node))
        needs = "".join(sorted(map(chr, pattern_analysis.needs(node))))
        machines[rule.id] = pattern_analysis.automaton(node)
        digits, all_digits = pattern_analysis.digit_lengths(machines[rule.id], min(high, LONGEST_DIGITS))
        coarse, kinds = (
            dialect.render(pattern_analysis.widen(node, fewest)) for fewest in (pattern_analysis.MANY_LETTERS, 1)
        )
        patterns[rule.id] = Pattern(
            rule,
            text,
            low,
            high,
            needs,
            pattern_analysis.fewest_digits(node),
            _phrases(rule),
            windows,
            coarse,
            kinds,
            digits,
            all_digits,
        )
    fresh = {i for i, p in patterns.items() if known is None or known.patterns.get(i) is not p}
    anywhere = [p for p in patterns.values() if p.claims and p.rule.engine == "linear"]
    for one in anywhere:
        rivals = set(one.rivals) & patterns.keys()
        for other in anywhere:
            if other.priority < one.priority and fresh & {one.rule.id, other.rule.id}:
                if one.shortest > other.longest or other.shortest > one.longest:
                    continue
                a, b = (
                    machines.setdefault(p.rule.id, pattern_analysis.automaton(nodes[p.rule.id])) for p in (one, other)
                )
                if pattern_analysis.overlap(a, b):
                    rivals.add(other.rule.id)
        patterns[one.rule.id] = replace(one, rivals=tuple(sorted(rivals)))
    return Program(rules, patterns)


def _phrases(rule: Rule) -> tuple[str, ...]:
    """Context phrases as written and without accents. Those of fewer than three letters say nothing inside a text."""
    spellings = {
        " ".join(re.split(r"[\W_]+", text)).strip()
        for p in rule.context
        for text in (p, " ".join(header_words.tokens(p)))
    }
    return tuple(sorted(s for s in spellings if len(s.replace(" ", "")) >= SHORTEST_CONTEXT))


def _node(rule: Rule) -> dialect.Node:
    from piiscan.rules import dialect

    source = rule.gate if rule.engine == "regex" else rule.pattern
    node = dialect.parse(source or "", rule.id)
    return dialect.expand_case(node) if rule.ignore_case else node


def to_plain(program: Program) -> dict[str, Any]:
    """Plain data, fit for JSON, that `from_plain` reads back."""
    patterns = {i: {k: v for k, v in asdict(p).items() if k != "rule" and v} for i, p in program.patterns.items()}
    empty = asdict(Rule("", "", ""))
    rules = [{k: v for k, v in asdict(r).items() if v != empty[k]} for r in program.rules.rules]
    return {
        "digest": program.rules.digest,
        "rules": rules,
        "patterns": patterns,
        "phrases": dict(program.rules.phrases),
    }


def from_plain(data: dict[str, Any]) -> Program:
    """The program that `to_plain` wrote."""
    rules = RuleSet(tuple(Rule(**_tuples(raw)) for raw in data["rules"]))
    rules.__dict__["digest"] = data["digest"]
    rules.__dict__["phrases"] = data["phrases"]
    by_id = rules.by_id
    return Program(rules, {i: Pattern(rule=by_id[i], **_tuples(raw)) for i, raw in data["patterns"].items()})


def _tuples(raw: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()}
