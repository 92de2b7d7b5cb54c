"""How each cell writes its name: as initials, with two names, in capitals or lower case, with particles.

A cell's look is one of `piiscan.masking.surrogates.name_format`. It holds nothing of the name but its particles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import category

from piiscan.core.caches import of_words
from piiscan.core.header_words import fold
from piiscan.masking.surrogates import gender_words
from piiscan.masking.surrogates.firstnames import is_first_name, shares
from piiscan.masking.surrogates.locales import country, language
from piiscan.masking.surrogates.name_format import cased, is_title, pieces, without_suffixes
from piiscan.masking.surrogates.name_lists import lists
from piiscan.masking.surrogates.patronymics import ENDINGS, WORDS, is_patronymic

if TYPE_CHECKING:
    import polars as pl

PARTICLES: Final = frozenset(
    "von van der den de la le du da di del della dello dos das do el al bin ibn abu ben zu zum zur af av ter ten te "
    "lo los las y e i".split()
)
DEGREES: Final = frozenset("dr prof mgr judr mudr phdr rndr mvdr".split())
"""Titles that anybody may bear, and that stay: none that is a first name, or short for one (Nat, Med, Md., Ing.)."""
_UNSPACED: Final = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]"
_WORD: Final = r"\p{Lu}[\p{L}\p{M}'’]*\p{Ll}[\p{L}\p{M}'’]*"
_UPPER: Final = r"\p{Lu}['’]?[\p{Lu}]['’\p{Lu}]*"
_LOWER: Final = r"\p{Ll}['’]?[\p{Ll}\p{M}]['’\p{Ll}\p{M}]*"
_TOKEN: Final = re.compile(r"([^\s.,\-‐–\d]+)(\.?)([\s\-‐–]*)")
_STRANGE: Final = re.compile(r"[\d,]|\.\.|^[.\-‐–]|[\s\-‐–]\.")
_LONGEST: Final = 60
_SUFFIXES: Final = frozenset("jr sr ii iii iv".split())


class _Word(NamedTuple):
    """`dot`: "." behind an abbreviation; `behind`: "-", " " or nothing, what parts it from the next one."""

    text: str
    dot: str
    behind: str

    @property
    def is_initial(self) -> bool:
        return len(self.text) == 1

    @property
    def is_particle(self) -> bool:
        return _is_particle(self.text)


_of_a_word = of_words(1 << 14)
"""The properties of each different word; most words occur in many names."""


_cased = _of_a_word(cased)
_is_title = _of_a_word(is_title)
_is_patronymic = _of_a_word(is_patronymic)
_is_first_name = _of_a_word(is_first_name)


_FEWEST_BEAR: Final = 5e-4
"""Of a country's women or men so many bear a first name that a surname may be, too, and is one more often."""


@of_words(1 << 14)
def _is_surname(word: str, locale: str) -> bool:
    """Whether a name of one word is rather a surname than a first name, by the lists of its locale."""
    firsts, lasts = _listed(locale)
    key = fold(word)
    if max(shares(word, country(locale), language(locale))) >= _FEWEST_BEAR or key in firsts - lasts:
        return False
    return key in lasts or not _is_first_name(word)


@cache
def _listed(locale: str) -> tuple[frozenset[str], frozenset[str]]:
    """The first names and the surnames of a locale, folded."""
    of = lists(locale)
    lasts = frozenset(fold(form) for name in of.surnames for form in (name.male, name.female))
    return frozenset(fold(first.name) for first in (*of.female, *of.male)), lasts


@_of_a_word
def _is_particle(word: str) -> bool:
    return fold(word) in PARTICLES and (len(word) > 1 or word.islower())


def looks_of(cells: pl.Series, kind: str, usual: str, locale: str) -> pl.Series:
    """The look of each cell (String): null for one that is no name as others write them.

    `kind`: "first_name", "last_name" or "name"; `usual`: the column's look, which tells in which order full names
    stand; `locale`: that of the lists which tell whether a name of one word is a surname.
    """
    import polars as pl

    text = cells.str.strip_chars()
    whens = [
        pl.when(pl.col("t").str.contains(f"^{pattern}$")).then(pl.lit(look)) for pattern, look in _simple(kind, usual)
    ]
    found = text.alias("t").to_frame().select(pl.coalesce(whens).alias("look"))["look"]
    if kind == "name":
        found = found.set(text.str.contains(_titled()).fill_null(False), None)
    rest = (found.is_null() & text.is_not_null() & (text != "")).arg_true()
    if not len(rest):
        return found
    own = text.gather(rest)
    once = own.unique().sort()
    once = once.filter((once.str.len_chars() <= _LONGEST) & ~once.str.contains(_UNSPACED))
    looks = pl.Series([_look(t, kind, usual, locale) for t in once.to_list()], dtype=pl.String)
    return found.scatter(rest, own.replace_strict(once, looks, default=None, return_dtype=pl.String))


@cache
def _titled() -> str:
    """A pattern of names that begin with a title."""
    words = "|".join(sorted(map(re.escape, DEGREES.union(gender_words.titles())), key=len, reverse=True))
    return rf"(?i)^(?:{words})\.?\s"


def usual_look(sample: Iterable[str], kind: str, order: str, locale: str) -> str:
    """The look that more than half of some names have, else `order`, by which they are read; for a plan.

    The names may
    be different ones: common looks have fewer of those.
    """
    import polars as pl

    looks = looks_of(pl.Series([*sample], dtype=pl.String), kind, order, locale).drop_nulls().to_list()
    seen = Counter(look for look in looks if not _has_particle(look))
    return next((look for look, n in seen.items() if 2 * n > len(looks)), order)


def _has_particle(look: str) -> bool:
    """Whether a look has a particle: what is rare in a column of few rows isn't written into a plan."""
    return any(not is_degree(word) for p in pieces(look) if not p.part for word in p.case.split() if word[0].isalpha())


class AnyLook:
    """The name formats of texts: all that hold no particle. What is around a name tells as much as its format."""

    def allowed(self, looks: pl.Series, subjects: pl.Series) -> pl.Series:
        """Which looks (String, null: false) the name of each subject may have."""
        known = looks.unique().drop_nulls().to_list()
        return looks.is_in([look for look in known if not _has_particle(look)]).fill_null(False)


_PATRONYMICS: Final = [
    (rf"\p{{Lu}}\p{{Ll}}+(?:{ENDINGS})", "Patronymic"),
    (rf"\p{{Lu}}{{2,}}(?:{ENDINGS.upper()})", "PATRONYMIC"),
    (rf"\p{{Ll}}{{2,}}(?:{ENDINGS})", "patronymic"),
]


def _simple(kind: str, usual: str) -> list[tuple[str, str]]:
    """Patterns of what most cells look like, each with its look."""
    each = {"title": _WORD, "upper": _UPPER, "lower": _LOWER}
    if kind != "name":
        part = {"first_name": "First", "last_name": "Last"}[kind]
        patronymics = _PATRONYMICS if kind == "first_name" else []
        return [*patronymics, *((pattern, _in(case, part)) for case, pattern in each.items())]
    order = ("Last", "First") if _is_last_first(usual) else ("First", "Last")
    out = [(f"{p} {p}", " ".join(_in(case, part) for part in order)) for case, p in each.items()]
    out += [(f"{p}, {p}", f"{_in(case, 'Last')}, {_in(case, 'First')}") for case, p in each.items()]
    return [*out, (f"{_UPPER}, {_WORD}", "LAST, First")]


def _in(case: str, part: str) -> str:
    return part if case == "title" else cased(part, "AA" if case == "upper" else "aa")


def _is_last_first(look: str) -> bool:
    """Whether surnames stand first without a comma."""
    parts = [p.part.removesuffix("initial") for p in pieces(look)]
    return "," not in look and "last" in parts and "first" in parts and parts.index("last") < parts.index("first")


def _look(text: str, kind: str, usual: str, locale: str) -> str | None:
    if kind == "first_name":
        return _firsts(_words(text))
    return _lasts(_words(text)) if kind == "last_name" else _full(text, usual, locale)


def _full(text: str, usual: str, locale: str) -> str | None:
    """The look of a full name.

    Its surname is before a comma, or where that of the column is, or where capitals are. A title that anybody may bear
    stays as it is, as in "Dr. Last".
    """
    title, name = _title_and_name(text, locale)
    before, comma, behind = name.partition(",")
    if comma:
        return _joined(title, _lasts(_words(before)), ", ", _firsts(_words(behind.strip())))
    units = _units(_words(before))
    if len(units) == 1 and not units[0][0].is_initial:
        is_last = bool(title) or _is_surname(units[0][0].text, locale)
        return title + (_lasts(units[0]) or "") if is_last else _firsts(units[0])
    if len(units) < 2:
        return None
    if len(units) == WORDS and _is_patronymic(units[1][0].text):
        return _joined(title, _firsts(_flat(units[:2])), " ", _lasts(units[2]))
    if len(units) == WORDS and _is_patronymic(units[2][0].text):
        return _joined(title, _lasts(units[0]), " ", _firsts(_flat(units[1:])))
    if _is_last_first(usual) or _begins_in_capitals(units):
        at = next((i for i, unit in enumerate(units) if not unit[0].is_particle), 0) + 1
        return _joined(title, _lasts(_flat(units[:at])), " ", _firsts(_flat(units[at:])))
    at = 1
    while at < len(units) - 1 and _is_first(units[at]):
        at += 1
    return _joined(title, _firsts(_flat(units[:at])), " ", _lasts(_flat(units[at:])))


def _title_and_name(text: str, locale: str) -> tuple[str, str]:
    """The look of the titles before a name, and the name."""
    title = ""
    rest = text.split()
    while len(rest) > 1 and (_is_title(rest[0]) if len(rest) > 2 else _titles_one_word(rest[0], locale)):
        word = rest.pop(0)
        if is_degree(word):
            title += word + " "
        elif not title:
            title = _cased("Title", word) + " "
    return title, without_suffixes(" ".join(rest))


def _joined(title: str, one: str | None, between: str, two: str | None) -> str | None:
    return f"{title}{one}{between}{two}" if one and two else None


def _begins_in_capitals(units: list[list[_Word]]) -> bool:
    head, tail = units[0][0].text, units[-1][-1].text
    return head.isupper() and len(head) > 2 and not tail.isupper()


def _words(text: str) -> list[_Word]:
    """Empty where a text has other signs than names have."""
    if _STRANGE.search(text):
        return []
    found = [_Word(m[1], m[2], "-" if m[3].strip() else " " if m[3] else "") for m in _TOKEN.finditer(text)]
    return found if all(_is_lettered(word.text) for word in found) else []


@of_words(1 << 14)
def _titles_one_word(word: str, locale: str) -> bool:
    """Whether a word before a single other one is a title: neither an abbreviated first name nor one such as Don."""
    if is_degree(word):
        return True
    known = fold(word).replace(".", "") in gender_words.titles()
    return known and max(shares(word, country(locale), language(locale))) < _FEWEST_BEAR


@_of_a_word
def is_degree(word: str) -> bool:
    """Whether a word is a title that anybody may bear, with a full stop or without."""
    return fold(word).replace(".", "") in DEGREES


@_of_a_word
def _is_lettered(word: str) -> bool:
    """Letters, their marks and apostrophes; a single one, which is an initial, only in scripts that have capitals."""
    if not word[0].isalpha() or not all(c.isalpha() or c in "'’" or category(c)[0] == "M" for c in word):
        return False
    return len(word) > 1 or word.lower() != word.upper()


def _units(words: list[_Word]) -> list[list[_Word]]:
    """Words that hyphens join, together."""
    out: list[list[_Word]] = []
    joined = False
    for word in words:
        if joined:
            out[-1].append(word)
        else:
            out.append([word])
        joined = word.behind == "-"
    return out


def _flat(units: list[list[_Word]]) -> list[_Word]:
    return [word for unit in units for word in unit]


def _is_first(unit: list[_Word]) -> bool:
    word = unit[0]
    return not word.is_particle and (word.is_initial or _is_first_name(word.text))


def _firsts(words: list[_Word]) -> str | None:
    """First names: of more than two the first two count."""
    words = [w for i, w in enumerate(words) if i == 0 or not w.is_particle][:2]
    if not words:
        return None
    out = _name(words[0], "First")
    if len(words) == 1:
        return out
    is_fathers = _is_patronymic(words[1].text) and words[0].behind == " "
    return out + words[0].behind + (_cased("Patronymic", words[1].text) if is_fathers else _name(words[1], "Second"))


def _lasts(words: list[_Word]) -> str | None:
    """Surnames with their particles: of more than two the first two count."""
    while len(words) > 1 and words[-1].text.lower() in _SUFFIXES:
        words = words[:-1]
    out, names = "", 0
    for i, word in enumerate(words):
        if i + 1 < len(words) and word.is_particle:
            out += word.text + (word.behind or " ")
            continue
        out += _name(word, "Last") if not names else _cased("SecondLast", word.text)
        names += 1
        if names == 2 or i + 1 == len(words) or words[-1].is_initial:
            break
        out += word.behind or " "
    return out or None


def _name(word: _Word, part: str) -> str:
    return _cased(f"{part}Initial", word.text) + word.dot if word.is_initial else _cased(part, word.text)
