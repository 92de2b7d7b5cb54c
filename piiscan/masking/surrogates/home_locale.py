"""Where somebody is from, as one of some locales: by country, telephone number or name.

Used on whole columns (String, nulls allowed).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final

from piiscan.core.caches import of_words
from piiscan.core.header_words import fold
from piiscan.masking.surrogates import name_locale
from piiscan.masking.surrogates.countries import code_of
from piiscan.masking.surrogates.locales import UNSPACED, country, script
from piiscan.masking.surrogates.numbering_plans import by_code

if TYPE_CHECKING:
    import polars as pl

_LONGEST_UNSPACED: Final = 4
"""Characters of a full name without a space, of a family name and a given name of two each."""
_CLEARER: Final = math.log(10)
"""A name tells a locale in which its words are ten times as likely as in any other."""


def of_countries(cells: pl.Series, candidates: Collection[str]) -> pl.Series:
    """By the name of a country, or its code. A country of several languages tells none by itself."""
    return each_value(cells, lambda cell: _only(code_of(cell), candidates))


def of_phones(cells: pl.Series, candidates: Collection[str]) -> pl.Series:
    """By what follows the + or 00 of an international number, where it is one country's."""
    text = cells.str.replace_all(r"[^\d+]", "")
    digits = text.str.extract(r"^(?:\+|00)(\d{4,})").str.slice(0, 4)
    return each_value(digits, lambda cell: _only(_by_prefix(cell), candidates))


def _only(code: str | None, candidates: Collection[str]) -> str | None:
    found = [locale for locale in candidates if code and country(locale) == code]
    return found[0] if len(found) == 1 else None


@of_words(1 << 14)
def _by_prefix(digits: str) -> str | None:
    """The country of a number; None where several share a prefix, as +1 and +7."""
    for length in (3, 2, 1):
        if plan := by_code().get(digits[:length]):
            return plan.countries[0] if len(plan.countries) == 1 else None
    return None


def of_names(names: pl.Series, candidates: Collection[str]) -> pl.Series:
    """By the name itself, where its words are much likelier in one locale than in any other."""
    locales = tuple(sorted(candidates))
    return each_value(names, lambda name: _of_name(name, locales))


def _of_name(name: str, locales: tuple[str, ...]) -> str | None:
    words = name_locale.words_of(name)
    here = [locale for locale in locales if script(locale) == script_of(name)]
    if "ja_JP" in here and name_locale.in_kana(name):
        return "ja_JP"
    unspaced = len(words) == 1 and not UNSPACED.isdisjoint(here) and 1 < len(name.strip()) <= _LONGEST_UNSPACED
    if not here or not (len(words) > 1 or unspaced):
        return None
    each = [_chances(fold(w), tuple(here)) for w in words]
    sums = [sum(math.log(c[i]) for c in each) for i in range(len(here))]
    order = sorted(range(len(here)), key=lambda i: (-sums[i], here[i]))
    clear = len(order) == 1 or sums[order[0]] - sums[order[1]] >= _CLEARER
    known = any(c[order[0]] > 2 * name_locale.STRANGER for c in each)
    return here[order[0]] if clear and known else None


@of_words(1 << 14)
def _chances(word: str, locales: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(name_locale.chance_of(word, locale) for locale in locales)


def script_of(name: str) -> str | None:
    """The script of a name, as `piiscan.masking.surrogates.locales.script` calls it."""
    return name_locale.script_of(name) or None


def each_value(cells: pl.Series, tell: Callable[[str], str | None]) -> pl.Series:
    """What `tell` says of each cell, asked once for equal ones."""
    import polars as pl

    once = cells.drop_nulls().unique()
    found = pl.Series([tell(v) for v in once.to_list()], dtype=pl.String)
    return cells.replace_strict(once, found, default=None, return_dtype=pl.String)
