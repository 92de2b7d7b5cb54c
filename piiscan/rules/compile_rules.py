"""Rules made ready to run: patterns as text for both regex engines, gates, priorities. Standard library only.

Compiling takes seconds (it proves which rules can claim the same cell), so the shipped rules are compiled at build time
and read back as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from piiscan.core import header_words
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.rules import accents
from piiscan.rules.definitions import Rule, RuleSet

if TYPE_CHECKING:
    from piiscan.rules import dialect, pattern_analysis

SHORTEST_CONTEXT = 3
LONGEST_DIGITS = 40
"""Longer strings of digits are tried against every rule."""
SPACE = r"[ \t\r\n]*"
_NO_WORD = lazy_pattern(rf"(?:_|[^\w{header_words.MARKS}])+")
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
        """Whether a whole cell of it, passing its check, is not tried against other rules.

        A URL may hold other things.
        """
        return self.rule.search == "anywhere" and self.rule.entity != "URL"


@dataclass(frozen=True, eq=False)
class CompiledRules:
    """All patterns of a rule set, by id, in the order of ids; rules by header or values only have none."""

    rules: RuleSet
    patterns: Mapping[str, Pattern]

    @cache  # noqa: B019  (compiled rules live as long as the process)
    def of(self, *searches: str) -> tuple[Pattern, ...]:
        """The linear patterns searched in one of these ways, by priority."""
        chosen = (p for p in self.patterns.values() if p.rule.search in searches and p.rule.engine == "linear")
        return tuple(sorted(chosen, key=lambda p: p.priority))

    @cached_property
    def timed(self) -> tuple[Pattern, ...]:
        """User rules that need look-around, run under a time budget."""
        return tuple(p for p in self.patterns.values() if p.rule.engine == "regex")


def build(rules: RuleSet, known: CompiledRules | None = None) -> CompiledRules:
    """Compile rules; patterns of `known` are taken over where the rule is the same."""
    patterns = {}
    fresh = set()
    automata = _Automata()
    for rule in rules.rules:
        if rule.pattern is None:
            continue
        old = known.patterns.get(rule.id) if known else None
        if old is not None and old.rule == rule:
            patterns[rule.id] = old
        else:
            patterns[rule.id] = _pattern(rule, automata)
            fresh.add(rule.id)
    claiming = [p for p in patterns.values() if p.claims and p.rule.engine == "linear"]
    for one in claiming:
        rivals = set(one.rivals) & patterns.keys()
        rivals.update(
            other.rule.id
            for other in claiming
            if other.priority < one.priority and fresh & {one.rule.id, other.rule.id} and automata.overlap(one, other)
        )
        patterns[one.rule.id] = replace(one, rivals=tuple(sorted(rivals)))
    return CompiledRules(rules, patterns)


class _Automata:
    """The automaton of each rule's pattern, made where it is needed."""

    def __init__(self) -> None:
        self._made: dict[str, pattern_analysis.Automaton] = {}

    def of(self, rule: Rule) -> pattern_analysis.Automaton:
        from piiscan.rules import pattern_analysis

        if rule.id not in self._made:
            self._made[rule.id] = pattern_analysis.automaton(_node(rule))
        return self._made[rule.id]

    def overlap(self, one: Pattern, other: Pattern) -> bool:
        """Whether some text is matched, as a whole, by both."""
        from piiscan.rules import pattern_analysis

        if one.shortest > other.longest or other.shortest > one.longest:
            return False
        return pattern_analysis.overlap(self.of(one.rule), self.of(other.rule))


def _pattern(rule: Rule, automata: _Automata) -> Pattern:
    from piiscan.rules import dialect, pattern_analysis

    node = _node(rule)
    shortest, longest = dialect.length(node)
    digits, all_digits = pattern_analysis.digit_lengths(automata.of(rule), min(longest, LONGEST_DIGITS))
    return Pattern(
        rule,
        text=(rule.pattern or "") if rule.engine == "regex" else dialect.render(node),
        shortest=shortest,
        longest=longest,
        needs="".join(sorted(map(chr, pattern_analysis.needs(node)))),
        fewest_digits=pattern_analysis.fewest_digits(node),
        phrases=_phrases(rule),
        windows=tuple("".join(map(dialect.render, window)) for window in pattern_analysis.windows(node)),
        coarse=dialect.render(pattern_analysis.widen(node, pattern_analysis.MANY_LETTERS)),
        kinds=dialect.render(pattern_analysis.widen(node, 1)),
        digits=digits,
        all_digits=all_digits,
    )


def _phrases(rule: Rule) -> tuple[str, ...]:
    """Context phrases as written, without accents and with them.

    Those are left out that are too short to say anything in a text: with fewer than three letters, or two of Chinese,
    Japanese and Korean, where most words have two. Matching ignores the case of ASCII letters alone, so those with
    others stand here in lower case, capitalised and in upper case.
    """
    plain = {" ".join(header_words.tokens(phrase)) for phrase in rule.context}
    written = {*rule.context, *plain, *chain.from_iterable(map(accents.spellings, plain))}
    spellings = {" ".join(_NO_WORD.split(text)).strip() for text in written}
    long = (s for s in spellings if len(s.replace(" ", "")) >= SHORTEST_CONTEXT - is_dense(s))
    return tuple(sorted({cased for s in long for cased in _in_cases(s)}))


def _in_cases(phrase: str) -> tuple[str, ...]:
    if phrase.isascii():
        return (phrase,)
    return (phrase, phrase.lower(), phrase[:1].upper() + phrase[1:], phrase.upper())


def is_dense(phrase: str) -> bool:
    """Whether a phrase is of kana, Han or Hangul alone, which are written without spaces or with what follows."""
    return min(phrase, default="") >= "\u3040"


def _node(rule: Rule) -> dialect.Node:
    from piiscan.rules import dialect

    source = rule.gate if rule.engine == "regex" else rule.pattern
    node = dialect.parse(source or "", rule.id)
    return dialect.expand_case(node) if rule.ignore_case else node


def to_plain(compiled: CompiledRules) -> dict[str, Any]:
    """Plain data, fit for JSON, that `from_plain` reads back."""
    patterns = {i: {k: v for k, v in asdict(p).items() if k != "rule" and v} for i, p in compiled.patterns.items()}
    empty = asdict(Rule("", "", ""))
    rules = [{k: v for k, v in asdict(r).items() if v != empty[k]} for r in compiled.rules.rules]
    return {
        "digest": compiled.rules.digest,
        "rules": rules,
        "patterns": patterns,
        "phrases": dict(compiled.rules.phrases),
    }


def from_plain(data: dict[str, Any]) -> CompiledRules:
    """The compiled rules that `to_plain` wrote."""
    rules = RuleSet(tuple(Rule(**_tuples(raw)) for raw in data["rules"]))
    rules.__dict__["digest"] = data["digest"]
    rules.__dict__["phrases"] = data["phrases"]
    by_id = rules.by_id
    return CompiledRules(rules, {i: Pattern(rule=by_id[i], **_tuples(raw)) for i, raw in data["patterns"].items()})


def _tuples(raw: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()}
