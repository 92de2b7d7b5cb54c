"""Values and strategies that several tests share: cells around the shipped rules' examples, frames, patterns of the
dialect."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

import polars as pl
from hypothesis import strategies as st

from piiscan.core.types import Field
from piiscan.detection.matching import reference
from piiscan.rules import dialect
from piiscan.rules.definitions import Rule
from piiscan.rules.dialect import Chars, Choice, Node, Repeat, Sequence
from piiscan.rules.rule_sets import shipped

SPACES = reference.SPACES
SEPARATORS = (
    " ",
    "  ",
    ",",
    ", ",
    ".",
    ". ",
    "-",
    "_",
    ";",
    ":",
    "/",
    "|",
    "=",
    "#",
    "@",
    "\t",
    "\n",
    "\r\n",
    "'",
    '"',
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "é",
    "ß",
    "日",
    "\u00a0",
    "\u200b",
    "😀",
    "0",
    "7",
    "a",
    "Z",
    "",
    " - ",
    " . ",
    "--",
    "..",
    ".-",
    '="',
    "nr. ",
)
AROUND = ("", " ", "  ", "\t", "\n")
WORDS = (
    "the note says that on Monday customer order version total paid by of in at 12 3.5 2024-05-06 14:30 A4 n/a é "
    "über 日本"
).split(" ")


@cache
def pattern_rules() -> tuple[Rule, ...]:
    """The shipped rules that have a pattern, in the order of their ids."""
    return tuple(r for r in shipped().rules.rules if r.pattern is not None)


@cache
def node_of(rule: Rule) -> Node:
    """The parse of a rule's pattern, its letters in both cases where case is ignored."""
    node = dialect.parse(rule.pattern or "", rule.id)
    return dialect.expand_case(node) if rule.ignore_case else node


def draw(node: Node, rng: random.Random, most: int = 3) -> str:
    """A random string of a pattern; repeats go at most `most` beyond their least."""
    match node:
        case Chars(codes):
            return chr(rng.choice(sorted(codes)))
        case Sequence(items):
            return "".join([draw(item, rng, most) for item in items])
        case Choice(branches):
            return draw(rng.choice(branches), rng, most)
        case Repeat(item, low, high):
            return "".join([draw(item, rng, most) for _ in range(rng.randint(low, min(high, low + most)))])


def separator(rng: random.Random) -> str:
    return rng.choice(SEPARATORS)


def padded(value: str, rng: random.Random) -> str:
    """A value with white space around it."""
    return rng.choice(AROUND) + value + rng.choice(AROUND)


def embedded(value: str, rng: random.Random) -> str:
    """A value within text, between separators of any kind."""
    words = [rng.choice(WORDS) for _ in range(rng.randint(0, 4))]
    cut = rng.randint(0, len(words))
    return " ".join(words[:cut]) + separator(rng) + value + separator(rng) + " ".join(words[cut:])


def mutated(value: str, rng: random.Random) -> str:
    """A value with one character changed to another of its kind, or left out, or written twice."""
    at = rng.randrange(len(value))
    old = value[at]
    kind = "0123456789" if old.isdigit() else "ABCXYZ" if old.isupper() else "abcxyz" if old.islower() else " .-/_"
    return value[:at] + rng.choice([rng.choice(kind), rng.choice(kind), "", old + old]) + value[at + 1 :]


def in_context(rule: Rule, value: str, rng: random.Random) -> str:
    """A value near one of its rule's context phrases, spelled in some case, before or after."""
    phrase = rng.choice(rule.context or ("number",))
    phrase = rng.choice(
        [
            phrase,
            phrase.upper(),
            phrase.title(),
            phrase.replace(" ", "_"),
            phrase.replace(" ", " - "),
            phrase.replace(" ", ""),
        ]
    )
    gap = rng.choice([" ", ": ", " no. ", "=", " is ", "\n", " é ", "", "s "])
    return phrase + gap + value if rng.random() < 0.7 else value + gap + phrase


def not_blank(cells: Iterable[str]) -> list[str]:
    """What is left of cells when those without content are gone, as a scan's reader leaves them out."""
    return [cell for cell in cells if cell.strip(SPACES)]


# Frames. One schema with a column of every kind, so that any two frames are parts of one table.
SCHEMA = {
    "0": pl.String,
    "1": pl.Int64,
    "2": pl.Float64,
    "3": pl.List(pl.String),
    "4": pl.Date,
    "5": pl.Datetime("us"),
    "6": pl.Boolean,
    "7": pl.Binary,
    "8": pl.String,
    "9": pl.List(pl.List(pl.Int64)),
    "10": pl.Struct({"a": pl.Int64, "b": pl.String}),
}
FIELDS = tuple(
    Field(name)
    for name in ("note", "card number", "amount", "emails", "day", "seen at", "ok", "raw", None, "grid", "person")
)
CELLS = (
    "",
    " ",
    "\t\n",
    "a@b.example",
    " a@b.example ",
    "mail a@b.example, c@d.example",
    "4111111111111111",
    "4111111111111112",
    "4111 1111 1111 1111",
    "078-05-1120",
    "ssn 219-09-9999",
    "DE89370400440532013000",
    "iban: DE89 3704 0044 0532 0130 00",
    "192.0.2.7",
    "x",
    "é",
    "0",
    "null",
    "nothing here",
    "long " * 150,
    "long " * 150 + "a@b.example",
)

texts = st.sampled_from(CELLS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
COLUMNS: dict[str, st.SearchStrategy[object]] = {
    "0": texts,
    "1": st.integers(0, 5)
    | st.sampled_from([4111111111111111, 5500005555555559, -3])
    | st.integers(-(2**63), 2**63 - 1),
    "2": st.sampled_from([4111111111111111.0, 0.0, -0.0, 1.5, 1e300, float("inf"), float("nan"), 2.0**63])
    | st.floats(),
    "3": st.lists(st.none() | texts, max_size=3),
    "4": st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
    "5": st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    "6": st.booleans(),
    "7": st.binary(max_size=4) | st.sampled_from([b"a@b.example", b"\xff078-05-1120"]),
    "8": st.sampled_from(["a@b.example", "x"]),
    "9": st.lists(st.none() | st.lists(st.none() | st.integers(0, 3), max_size=2), max_size=2),
    "10": st.fixed_dictionaries({"a": st.none() | st.integers(0, 3), "b": st.none() | texts}),
}


@st.composite
def frames(draw_one: st.DrawFn, most: int = 30) -> pl.DataFrame:
    """Frames of SCHEMA with nulls in every column."""
    rows = draw_one(st.integers(0, most))
    data = {
        name: draw_one(st.lists(st.none() | values, min_size=rows, max_size=rows)) for name, values in COLUMNS.items()
    }
    return pl.DataFrame(data, schema=SCHEMA)


@st.composite
def parts(draw_one: st.DrawFn, frame: pl.DataFrame) -> list[tuple[int, pl.DataFrame]]:
    """A frame cut at any places, the parts with their offsets and in any order."""
    cuts = sorted(draw_one(st.lists(st.integers(0, len(frame)), max_size=4)))
    edges = [0, *cuts, len(frame)]
    pieces = [(a, frame.slice(a, b - a)) for a, b in pairwise(edges)]
    return list(draw_one(st.permutations(pieces)))


# Patterns over a few characters, so that all short strings can be tried.
SMALL = "01aA-"
_chars = st.sets(st.sampled_from([ord(c) for c in SMALL]), min_size=1, max_size=3).map(
    lambda codes: Chars(frozenset(codes))
)


def _compound(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    bounds = (
        st.tuples(st.integers(0, 2), st.integers(0, 2)).map(lambda b: (b[0], b[0] + b[1])).filter(lambda b: b[1] > 0)
    )
    endless = st.integers(0, 2).map(lambda low: (low, dialect.UNBOUNDED))
    return (
        st.lists(inner, min_size=2, max_size=3).map(lambda items: Sequence(tuple(items)))
        | st.lists(inner, min_size=2, max_size=3).map(lambda branches: Choice(tuple(branches)))
        | st.builds(lambda item, b: Repeat(item, *b), inner, bounds | endless)
    )


patterns: st.SearchStrategy[Node] = st.recursive(_chars, _compound, max_leaves=6)
