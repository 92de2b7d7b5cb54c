"""How a column writes its names ("First Last", "LAST, First", …), as a text that people can read in a plan.

A look is a text with the words first, last, title, middle, patronymic and initial in it, each written as the names are:
`First`, `FIRST` or `first`. `middle` is a second first name, `initial` the first letter of one. `second` and
`secondlast` are the second names of people who have two, and `firstinitial`, `secondinitial` and `lastinitial` the
first letters of names: "First-Second Last", "LAST, FirstInitial." All other characters stay as they are. A title
includes the space after it, which goes with it where there is no title.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.core.header_words import fold
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.masking.surrogates import gender_words
from piiscan.masking.surrogates.firstnames import shares
from piiscan.masking.surrogates.locales import SURNAME_FIRST, UNSPACED, country, language
from piiscan.masking.surrogates.name_lists import lists
from piiscan.masking.surrogates.patronymics import ENDINGS, WORDS, is_patronymic

if TYPE_CHECKING:
    import polars as pl

PARTS = (
    "title", "firstinitial", "first", "middle", "secondinitial", "secondlast", "second", "patronymic", "initial",
    "lastinitial", "last",
)  # fmt: skip
"""Longer words stand before those that they begin with."""
_PART = re.compile("|".join(PARTS), re.IGNORECASE)


_SYLLABLES: Final = {
    "katakana": lazy_pattern(r"[\u30a1-\u30ff\uff66-\uff9f\s]+"),
    "hiragana": lazy_pattern(r"[\u3041-\u309f\u30fc\s]+"),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a name format."""

    part: str  # one of PARTS, or "" for a text that stands as it is
    case: str  # "title", "upper" or "lower"; of a text, the text


@lru_cache(maxsize=256)
def pieces(look: str) -> tuple[Piece, ...]:
    """The pieces of a look. Raises `UsageError` for one without a name in it.

    >>> [p.part or p.case for p in pieces("LAST, First")]
    ['last', ', ', 'first']
    """
    out: list[Piece] = []
    at = 0
    for m in _PART.finditer(look):
        if m.start() > at:
            out.append(Piece("", look[at : m.start()]))
        word = m[0]
        out.append(Piece(word.lower(), _case(word)))
        at = m.end()
    if look[at:]:
        out.append(Piece("", look[at:]))
    if not any(p.part for p in out):
        raise UsageError(
            f"look {look!r}: write it with the words {', '.join(PARTS)}, such as 'First Last' or 'LAST, First'"
        )
    return tuple(out)


def _case(word: str) -> str:
    if word.isupper():
        return "upper"
    return "lower" if word.islower() else "title"


ADDRESS: Final = r"[<(\[]?[^\s<(\[]+@\S+"
"""An e-mail address behind a name, as mail programs write it, which is no part of the name."""


_AFTER: Final = (
    r"(?i:jr|sr|esq|ph\.? ?d|dds|dvm|mba|mph|b\. ?a|m\. ?a|b\. ?s|m\. ?s|b\.? ?sc|m\.? ?sc|d\.? ?sc|b\.? ?eng|m\.? ?eng"
    r"|b\.? ?ed|m\.? ?ed|ll\. ?[bm]|m\. ?d|r\. ?n|j\. ?d|d\. ?phil)\.?|(?:Dr|C)Sc\.?|DiS\.|I{2,3}|IV"
)
"""Words behind names that are no part of them: degrees, and which of several people of one name somebody is."""
_AFTER_SMALL: Final = r"MD|BA|MA|BS|MS|DO|RN|JD|OD|LLB|LLM"
"""In capitals, behind a name that isn't: some are surnames, too."""
SUFFIXES: Final = (
    rf"^(\S+\s.*?\S)(?:,?\s+(?:{_AFTER}))+$",
    rf"^(\S+\s.*\p{{Ll}})(?:,?\s+(?:{_AFTER}|{_AFTER_SMALL}))+$",
)
"""Patterns of polars of names with such words; the name is their group."""
_SUFFIXES: Final = tuple(lazy_pattern(pattern.replace(r"\p{Ll}", "[^\\W\\d_A-Z]")) for pattern in SUFFIXES)


def without_suffixes(name: str) -> str:
    """A name without degrees and the like behind it, where two words are left.

    >>> without_suffixes("Ann Lee, Ph.D."), without_suffixes("Bob Stone Jr."), without_suffixes("Yo-Yo Ma")
    ('Ann Lee', 'Bob Stone', 'Yo-Yo Ma')
    """
    for pattern in _SUFFIXES:
        if (found := pattern.fullmatch(name)) is not None:
            return found[1]
    return name


def name_pattern_of(values: Iterable[str], kind: str, locale: str) -> str:
    """The commonest look of some names; for a plan. `kind` is "name", "first_name", "last_name" or "title"."""
    seen = Counter(_look(v, kind, locale) for v in values if v and v.strip())
    default = {"first_name": "First", "last_name": "Last", "title": "Title"}.get(kind) or _default(locale)
    return max(seen, key=lambda look: (seen[look], look)) if seen else default


def syllables_of(names: Iterable[str]) -> str:
    """The script of Japanese syllables that more than half of some names are written in, else ""; for a plan."""
    seen = Counter(next((s for s, p in _SYLLABLES.items() if p.fullmatch(v.strip())), "") for v in names if v.strip())
    return next((s for s in _SYLLABLES if 2 * seen[s] > seen.total()), "")


def _default(locale: str) -> str:
    if locale in UNSPACED:
        return "LastFirst"
    return "Last First" if locale in SURNAME_FIRST else "First Last"


def _look(value: str, kind: str, locale: str) -> str:
    value = re.sub(ADDRESS, " ", value).strip()
    if kind != "name":
        part = {"first_name": "First", "last_name": "Last", "title": "Title"}[kind]
        return cased(part, value)
    words = without_suffixes(value).replace(",", " , ").split()
    prefix = ""
    while len(words) > 2 and is_title(words[0]):
        prefix = cased("Title", words.pop(0)) + " "
    if "," in words:
        comma = words.index(",")
        last, first = words[:comma], words[comma + 1 :]
        if last and first:
            return prefix + cased("Last", last[-1]) + ", " + cased("First", first[0]) + _middle(first[1:])
    words = [w for w in words if w != ","]
    if len(words) == WORDS and any(map(is_patronymic, words[1:])):
        order = ("Last", "First", "Patronymic") if is_patronymic(words[2]) else ("First", "Patronymic", "Last")
        return prefix + " ".join(cased(part, word) for part, word in zip(order, words, strict=True))
    if len(words) < 2:
        return prefix + (cased(_default(locale), value) if locale not in UNSPACED else "LastFirst")
    if (
        locale in SURNAME_FIRST
        or (words[0].isupper() and len(words[0]) > 2 and not words[-1].isupper())
        or _reversed(words, locale)
    ):
        return prefix + cased("Last", words[0]) + " " + cased("First", words[1])
    return prefix + cased("First", words[0]) + _middle(words[1:-1]) + " " + cased("Last", words[-1])


def _reversed(words: list[str], locale: str) -> bool:
    """The last word is a first name of the locale, and the first word none."""
    return _is_first(words[-1], locale) and not _is_first(words[0], locale)


def _is_first(word: str, locale: str) -> bool:
    return fold(word) in _first_names(locale) or max(shares(word, country(locale), language(locale))) > 0


@cache
def _first_names(locale: str) -> frozenset[str]:
    found = lists(locale)
    return frozenset(fold(n.name) for n in found.female + found.male)


def is_title(word: str) -> bool:
    return fold(word).replace(".", "") in gender_words.titles() or bool(
        re.search(r"[^\W\d_]{2,}\.[^\W\d_]{0,4}$", word)
    )


def _middle(words: list[str]) -> str:
    if not words:
        return ""
    if len(words[0].rstrip(".")) == 1:
        return " Initial." if words[0].endswith(".") else " Initial"
    return ""


def cased(part: str, value: str) -> str:
    letters = [c for c in value if c.isalpha() and c.lower() != c.upper()]
    if len(letters) > 1 and all(c.isupper() for c in letters):
        return part.upper()
    return part.lower() if letters and all(c.islower() for c in letters) else part


class NameParts(NamedTuple):
    """Of each full name its title, first name and last name (Strings, null where there is none)."""

    title: pl.Series
    first: pl.Series
    last: pl.Series


def bare(names: pl.Series) -> pl.Series:
    """Full names without titles in front and degrees behind."""
    return _bare(names)["n"].alias(names.name)


def _bare(names: pl.Series) -> pl.DataFrame:
    """Names without titles and degrees (`n`), and their titles (`titles`, null where there is none)."""
    import polars as pl

    c = pl.col("n")
    frame = names.str.replace_all(ADDRESS, " ").str.strip_chars().alias("n").to_frame()
    frame = frame.with_columns(c.str.extract(_titles()).alias("titles"))
    frame = frame.select(c.str.strip_prefix(pl.col("titles").fill_null("")), pl.col("titles").str.strip_chars())
    for suffixes in SUFFIXES:
        frame = frame.with_columns(c.str.replace(suffixes, "$1"))
    return frame


@cache
def _titles() -> str:
    """A pattern of titles in front of a name; any abbreviation there is one."""
    known = "|".join(sorted((re.escape(t) for t in gender_words.titles()), key=len, reverse=True))
    return rf"(?i)^((?:(?:(?:{known}|dr|prof|ing|mgr)\.?|\S*\pL{{2,}}\.\pL{{0,4}})\s+)+)"


def in_order(names: pl.Series, look: str) -> pl.Series:
    """Full names with all of their words, given names first, however their column writes them.

    Without titles, commas and full stops; null for what is one word, or none.
    """
    import polars as pl

    surname_first, unspaced = _order(look)
    c = pl.col("name")
    frame = bare(names).alias("name").to_frame()
    turned = c.str.replace(r"^([^,]*\S)\s*,\s*([^,]*\S)$", "$2 $1")
    if surname_first and "," not in look:
        turned = (
            pl.when(c.str.contains(",", literal=True)).then(turned).otherwise(c.str.replace(r"^(\S+)\s+(.+)$", "$2 $1"))
        )
    if unspaced:
        _, first, last = split(frame["name"], look)
        turned = pl.when(c.str.contains(r"\s")).then(turned).otherwise(first + " " + last)
    words = frame.select(turned)["name"].str.replace_all(r"[\s.,]+", " ").str.strip_chars()
    return words.set(~words.str.contains(" ", literal=True), None)


def _order(look: str) -> tuple[bool, bool]:
    """Whether a look writes the family name first, and without a space behind it."""
    found = [p.part.removesuffix("initial") for p in pieces(look)]
    surname_first = "last" in found and "first" in found and found.index("last") < found.index("first")
    return surname_first, surname_first and found.index("last") + 1 == found.index("first")


def split(names: pl.Series, look: str) -> NameParts:
    """Full names taken apart as their look says.

    Where a name is written another way than its column, a comma still divides, and titles are still taken off.
    """
    import polars as pl

    surname_first, unspaced = _order(look)
    whole = names.alias("name").to_frame()
    once = whole.unique()
    c = pl.col("n")
    # Step by step, as polars works out an expression wherever it is used.
    frame = _bare(once["name"])
    of_three = rf"(?i)^(\S+)\s+\pL{{2,}}(?:{ENDINGS})\s+(\S+)$"
    frame = frame.with_columns(c.str.extract(of_three, 1).alias("given"), c.str.extract(of_three, 2).alias("family"))
    frame = frame.with_columns(c.str.replace(rf"(?i)(\S\s+\S+)\s+\pL{{2,}}(?:{ENDINGS})$", "$1"))
    before, behind = c.str.extract(r"^([^,]*),"), c.str.extract(r",\s*([^,]*)$")
    head, tail = c.str.extract(r"^(\S+)\s"), c.str.extract(r"\s(\S+)$")
    if unspaced:  # Han and Hangul: a surname of one character, of two in a name of four
        head = pl.coalesce(c.str.extract(r"^(..)..$"), c.str.extract(r"^(.)..?$"))
        tail = pl.coalesce(c.str.extract(r"^..(..)$"), c.str.extract(r"^.(..?)$"))
    first = pl.coalesce("given", behind, tail if surname_first else head, None if surname_first else c)
    last = pl.coalesce("family", before, head if surname_first else tail)
    parts = frame.select(pl.col("titles").alias("title"), first.alias("first"), last.alias("last")).hstack(once)
    out = whole.join(parts, on="name", how="left", nulls_equal=True, maintain_order="left")
    return NameParts(out["title"], out["first"], out["last"])
