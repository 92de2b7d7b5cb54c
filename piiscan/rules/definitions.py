"""Rules: what a kind of value looks like, as data. Loaded and validated from `rules/*.toml`.

A rule speaks about cells (a pattern, a check, a list of values), about headers (whole-token phrases), or both. It can't
exist without examples of what it must and must not match.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, Literal, get_args

from piiscan.core import header_words
from piiscan.core.caches import of_words
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import RuleError
from piiscan.rules import check_names

Search = Literal["anywhere", "context", "cell"]
Boundary = Literal["number", "word"]
Kind = Literal["any", "text", "number", "date", "code"]
Engine = Literal["linear", "regex"]

EXAMPLE_SECONDS: Final = 1.0
"""Longest search in one example."""
MOST_CHARS: Final = 1000
"""Characters in a linear pattern, repeats written out: above it the engines' automata grow out of bounds."""
WIDEST_REPEAT: Final = 256
"""Most freedom of a bounded repeat, for the same reason."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    `search`: where `pattern` is looked for. `anywhere`: in every cell, also in the middle of text; a cell that is
    wholly such a value (and passes its check) is claimed by it. `context`: as a whole cell, and in text only where one
    of `context` occurs in the same cell. `cell`: as a whole cell, in columns whose header names the rule: for what says
    nothing without it.
    `boundary`: what may not adjoin a match. `word`: an ASCII letter, digit or underscore. `number`: neither that nor a
    `.` or `-` that has such a character on its other side (so that 0.123456789 holds no nine-digit number).
    `chance`: the share of random strings matching `pattern` that pass `check` (1 where there is no check).
    `kind`: what values must look like for `headers` to count. `trust`: how often a column so named, of that kind and in
    a table about persons, is this entity. `values`: folded whole-cell values.
    """

    id: str
    entity: str
    title: str
    subtype: str | None = None
    authority: str | None = None
    link: str | None = None
    country: str | None = None
    pattern: str | None = None
    ignore_case: bool = False
    check: str | None = None
    chance: float = 1.0
    search: Search = "cell"
    boundary: Boundary = "number"
    engine: Engine = "linear"
    gate: str | None = None
    values: tuple[str, ...] = ()
    kind: Kind = "any"
    trust: float = 0.9
    headers: tuple[str, ...] = ()
    not_headers: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    operator: str | None = None
    match: tuple[str, ...] = ()
    no_match: tuple[str, ...] = ()
    header_match: tuple[str, ...] = ()
    header_no_match: tuple[str, ...] = ()

    def names(self, header: str) -> bool:
        """Whether `headers` (and none of `not_headers`) are in a header, by whole tokens."""
        words = header_words.tokens(header)
        found = any(header_words.find_phrase(header_words.tokens(p), words) for p in self.headers)
        return found and not any(header_words.find_phrase(header_words.tokens(p), words) for p in self.not_headers)

    def fullmatch(self, cell: str) -> bool:
        """Return whether a whole cell, without surrounding white space, is a value of this rule.

        Raises `RuleError` where a pattern outside the linear dialect takes more than EXAMPLE_SECONDS.
        """
        cell = cell.strip()
        if self.pattern is None:
            return header_words.fold(cell) in self.values
        return self._matches(cell) and self.passes(cell)

    def _matches(self, cell: str) -> bool:
        if self.engine == "linear":
            return _compiled(self.pattern or "", self.ignore_case).fullmatch(cell) is not None
        import regex

        flags = regex.ASCII | (regex.IGNORECASE if self.ignore_case else 0)
        try:
            return regex.fullmatch(self.pattern or "", cell, flags, timeout=EXAMPLE_SECONDS) is not None
        except TimeoutError:
            raise RuleError(
                f"rule {self.id!r}: its pattern takes too long on an example; make it less ambiguous"
            ) from None

    @property
    def flags(self) -> int:
        """Flags for Python's `re`."""
        return re.ASCII | (re.IGNORECASE if self.ignore_case else 0)

    def passes(self, text: str) -> bool:
        """Whether `text`, known to match the pattern, passes the check."""
        if self.check is None:
            return True
        from piiscan.rules.checks import is_valid

        return is_valid(self.check, text)


@cache
def _compiled(pattern: str, ignore_case: bool) -> re.Pattern[str]:
    """A pattern of the linear dialect, compiled once."""
    return re.compile(pattern, re.ASCII | (re.IGNORECASE if ignore_case else 0))


_TUPLES = {f.name for f in fields(Rule) if f.type == "tuple[str, ...]"}
_NUMBERS = {f.name for f in fields(Rule) if f.type == "float"}
_CHOICES: dict[str, tuple[str, ...]] = {
    "search": get_args(Search), "boundary": get_args(Boundary), "kind": get_args(Kind), "engine": get_args(Engine),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class RuleSet:
    """Rules in the order of their ids, and a digest that changes when any of them does.

    `selected`, `ignored`: the names that `restrict` was given, in order.
    """

    rules: tuple[Rule, ...]
    selected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Rule]:
        return {r.id: r for r in self.rules}

    @cached_property
    def phrases(self) -> Mapping[str, str]:
        """Map header phrases (their tokens joined by a space, or directly) to rule ids.

        The ids are those that a phrase names, a bar, and those that it vetoes.

        Each value is a text, since ten thousand of them are read at every start.
        """
        index: dict[str, tuple[set[str], set[str]]] = {}
        for rule in self.rules:
            for side, phrases in enumerate((rule.headers, rule.not_headers)):
                for words in map(header_words.tokens, phrases):
                    for key in (" ".join(words), "".join(words)):
                        index.setdefault(key, (set(), set()))[side].add(rule.id)
        return {key: f"{' '.join(sorted(yes))}|{' '.join(sorted(no))}" for key, (yes, no) in sorted(index.items())}

    @cached_property
    def words_of_headers(self) -> frozenset[str]:
        """The words of all phrases in headers: a header without one names no rule."""
        return frozenset(word for phrase in self.phrases for word in phrase.split(" "))

    def naming(self, phrase: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Ids of the rules that a header phrase names, and of those that it vetoes."""
        yes, _, no = self.phrases.get(phrase, "").partition("|")
        return tuple(yes.split()), tuple(no.split())

    @of_words(4096)  # several ask for the same headers, one after the other
    def named(self, header: str | None) -> frozenset[str]:
        """Return the ids of the rules with a header phrase, and no vetoed one, in a header.

        It is `Rule.names` for all rules at once.
        """
        words = header_words.tokens(header or "")
        if self.words_of_headers.isdisjoint(words):
            return frozenset()
        yes: set[str] = set()
        no: set[str] = set()
        for start in range(len(words)):
            for stop in range(start + 1, min(len(words), start + header_words.LONGEST_PHRASE) + 1):
                named, vetoed = self.naming(" ".join(words[start:stop]))
                yes.update(named)
                no.update(vetoed)
        return frozenset(yes - no)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the canonical text of every rule and the code of plug-ins' checks, hexadecimal, 16 digits."""
        text = json.dumps([asdict(r) for r in self.rules], sort_keys=True, ensure_ascii=True)
        text += check_names.plugged_digest(r.check for r in self.rules if r.check)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def restrict(self, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> RuleSet:
        """Only the rules whose id, entity or subtype is in `select` (all, where it is empty) and not in `ignore`.

        Raises `RuleError` for a name that no rule has.
        """
        selected, ignored = set(select), set(ignore)
        known = {name for r in self.rules for name in (r.id, r.entity, r.subtype) if name}
        for name in sorted((selected | ignored) - known):
            raise RuleError(
                f"there is no rule, entity or subtype {name!r}{suggestion(name, known)}; see `piiscan rules list`"
            )

        def kept(r: Rule) -> bool:
            names = {r.id, r.entity, r.subtype}
            return (not selected or bool(names & selected)) and not names & ignored

        return RuleSet(tuple(r for r in self.rules if kept(r)), tuple(sorted(selected)), tuple(sorted(ignored)))

    def __add__(self, other: RuleSet) -> RuleSet:
        """Both sets together; raises `RuleError` where an id stands in both."""
        twice = sorted(self.by_id.keys() & other.by_id.keys())
        if twice:
            raise RuleError(f"rule id {twice[0]!r} is taken; choose another id")
        return RuleSet(tuple(sorted(self.rules + other.rules, key=lambda r: r.id)))


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean …?` where a known name is close, else nothing."""
    import difflib

    close = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def load_folder(folder: Path) -> RuleSet:
    """Load and validate every `*.toml` below `folder`. Raises `RuleError`, which names the file and the rule."""
    import tomllib

    loaded: list[Rule] = []
    for path in sorted(folder.rglob("*.toml")):
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise RuleError(f"{path}: can't be read as TOML: {error}") from None
        for key in data.keys() - {"rule"}:
            raise RuleError(f"{path}: unknown table {key!r}; rules must be [[rule]] tables")
        tables = data.get("rule", [])
        if not isinstance(tables, list) or not all(isinstance(raw, dict) for raw in tables):
            raise RuleError(f"{path}: rules must be [[rule]] tables, in two brackets")
        loaded += [parse_rule(raw, path.name, path.parent) for raw in tables]
    ids = [r.id for r in loaded]
    for one in sorted({i for i in ids if ids.count(i) > 1}):
        raise RuleError(f"{folder}: two rules have the id {one!r}; rename one of them")
    return RuleSet(tuple(sorted(loaded, key=lambda r: r.id)))


def parse_rule(raw: Mapping[str, Any], where: str, folder: Path) -> Rule:
    """A `[[rule]]` table as a validated `Rule`. `values` may name a text file in `folder`, one value a line."""
    name = f"{where}: rule {raw.get('id', '(without id)')!r}"
    known = {f.name: f for f in fields(Rule)}
    for key in raw.keys() - known.keys():
        raise RuleError(f"{name}: unknown key {key!r}{suggestion(key, known)}")
    for key in ("id", "entity", "title"):
        if not raw.get(key):
            raise RuleError(f"{name}: {key!r} is missing")
    plain: dict[str, Any] = dict(raw)
    if isinstance(plain.get("values"), str):
        plain["values"] = _read_values(folder / "values" / plain["values"], name)
    for key, value in plain.items():
        if key in _TUPLES:
            if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
                raise RuleError(f"{name}: {key!r} must be a list of strings")
            plain[key] = tuple(value)
        elif key in _NUMBERS:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise RuleError(f"{name}: {key!r} must be a number")
        elif key == "ignore_case":
            if not isinstance(value, bool):
                raise RuleError(f"{name}: {key!r} must be true or false")
        elif not isinstance(value, str):
            raise RuleError(f"{name}: {key!r} must be a string")
    plain["values"] = tuple(sorted({header_words.fold(v.strip()) for v in plain.get("values", ())}))
    rule = Rule(**plain)
    _validate(rule, name)
    return replace(rule, context=rule.context or rule.headers) if rule.search == "context" else rule


def _read_values(path: Path, name: str) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RuleError(f"{name}: values file {path.name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RuleError(f"{name}: values file {path.name}: not UTF-8") from None
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _validate(rule: Rule, name: str) -> None:
    """Raise `RuleError`, which says `name`, where a rule means nothing or can't be run."""
    for problem in (*_wrong_names(rule), *_wrong_parts(rule), *_wrong_phrases(rule)):
        raise RuleError(f"{name}: {problem}")
    if rule.pattern is not None:
        _validate_pattern(rule, name)
    for problem in (*_wrong_check(rule), *_missing_examples(rule)):
        raise RuleError(f"{name}: {problem}")


def _wrong_names(rule: Rule) -> Iterator[str]:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id):
        yield "an id must be lower-case words joined by '-'"
    if rule.entity not in PII_CLASS:
        yield f"unknown entity {rule.entity!r}{suggestion(rule.entity, PII_CLASS)}"
    for key, choices in _CHOICES.items():
        if getattr(rule, key) not in choices:
            yield f"{key!r} must be one of {', '.join(choices)}"


def _wrong_parts(rule: Rule) -> Iterator[str]:
    """What is missing, or doesn't go together."""
    if rule.pattern is None and not rule.values and not rule.headers:
        yield "needs a pattern, values or headers"
    if rule.pattern is not None and rule.values:
        yield "it needs a pattern or values, not both"
    if rule.check is not None and rule.pattern is None:
        yield "a check needs a pattern"
    if not 0 < rule.chance <= 1 or (rule.check is None) != (rule.chance == 1):
        yield (
            "'chance' must be the share of random matches that pass the check: with a check add one below 1, such as "
            "chance = 0.1, which `piiscan rules test` then measures; without a check leave it out"
        )
    if not 0 < rule.trust < 1:
        yield "'trust' must be a probability above 0 and below 1"


def _wrong_phrases(rule: Rule) -> Iterator[str]:
    for key in ("headers", "not_headers", "context"):
        for phrase in getattr(rule, key):
            if not 0 < len(header_words.tokens(phrase)) <= header_words.LONGEST_PHRASE:
                yield f"{key!r}: {phrase!r} must have one to {header_words.LONGEST_PHRASE} words"


def _wrong_check(rule: Rule) -> Iterator[str]:
    if rule.check is None or rule.check in check_names.built_in():
        return
    known = check_names.names()
    if rule.check not in known:
        yield (
            f"unknown check {rule.check!r}{suggestion(rule.check, known)}; checks are modules of piiscan/rules/checks/ "
            "or come with a package, which has to be installed"
        )
        return
    from piiscan.rules import checks

    checks.module(rule.check)  # a plug-in that can't be used is told before anything is scanned


def _missing_examples(rule: Rule) -> Iterator[str]:
    about_cells = rule.pattern is not None or bool(rule.values)
    if about_cells and not (rule.match and rule.no_match):
        yield "needs 'match' and 'no_match' values; a rule without examples doesn't load"
    if not about_cells and not (rule.header_match and rule.header_no_match):
        yield "a rule by header needs 'header_match' and 'header_no_match' examples"


def _validate_pattern(rule: Rule, name: str) -> None:
    from piiscan.rules import dialect, pattern_analysis

    linear = rule.pattern if rule.engine == "linear" else rule.gate
    if rule.engine == "regex":
        if rule.gate is None:
            raise RuleError(f"{name}: engine = \"regex\" needs a 'gate': a linear pattern that every match contains")
        _validate_regex(rule.pattern or "", name)
    elif rule.gate is not None:
        raise RuleError(f"{name}: 'gate' is only for engine = \"regex\"; linear rules get theirs automatically")
    what = "pattern" if rule.engine == "linear" else "gate"
    node = dialect.parse(linear or "", name)
    if not dialect.length(node)[0]:
        raise RuleError(f"{name}: {what!r} matches the empty text; let it need at least one character")
    if dialect.written_out(node) > MOST_CHARS or dialect.widest_repeat(node) > WIDEST_REPEAT:
        limits = f"{MOST_CHARS} characters with its repeats written out, or has one wider than {WIDEST_REPEAT}"
        raise RuleError(f"{name}: {what!r} is above {limits}; use + or * for long ones")
    if pattern_analysis.ambiguous(dialect.expand_case(node) if rule.ignore_case else node):
        raise RuleError(f"{name}: {what!r} is ambiguous; make clear where each repetition ends")


def _validate_regex(pattern: str, name: str) -> None:
    import regex

    try:
        compiled = regex.compile(pattern, regex.ASCII)
    except regex.error as error:
        raise RuleError(f"{name}: not a regular expression: {error}") from None
    if compiled.fullmatch(""):
        raise RuleError(f"{name}: 'pattern' matches the empty text; let it need at least one character")


def verify(rule: Rule) -> list[str]:
    """What a rule's own examples get wrong, in words; empty where all hold.

    Examples are the author's, so they are shown.
    """
    wrong = [f"should match: {v!r}" for v in rule.match if not rule.fullmatch(v)]
    wrong += [f"should not match: {v!r}" for v in rule.no_match if rule.fullmatch(v)]
    if rule.gate is not None:
        wrong += [f"should contain the gate: {v!r}" for v in rule.match if not re.search(rule.gate, v, rule.flags)]
    wrong += [f"header should match: {v!r}" for v in rule.header_match if not rule.names(v)]
    wrong += [f"header should not match: {v!r}" for v in rule.header_no_match if rule.names(v)]
    return wrong
