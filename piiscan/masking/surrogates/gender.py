"""The gender of a row's person: by its gender column, else the title, else the names.

Each function takes a column (String, nulls allowed) and gives "f", "m" or null for each cell. They look at distinct
values only, and split names with the column's `Look`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from piiscan.core import caches
from piiscan.core.header_words import fold
from piiscan.masking.surrogates import gender_words, inflect
from piiscan.masking.surrogates.firstnames import shares
from piiscan.masking.surrogates.locales import checked, country, language
from piiscan.masking.surrogates.name_lists import clean, faker_class

if TYPE_CHECKING:
    import polars as pl

CLEAR = 0.75
"""A first name counts as one gender's from this share on."""
_ENDINGS = {
    "pl": ("a", ""),
    "cs": ("a", ""),
    "sk": ("a", ""),
    "ru": ("ая", ""),
    "uk": ("ая", ""),
    "bg": ("ая", ""),
    "mk": ("а", ""),
    "hr": ("a", ""),
    "sl": ("a", ""),
    "it": ("a", "o"),
    "es": ("a", "o"),
    "pt": ("a", "o"),
    "ro": ("a", ""),
    "lv": ("ae", "s"),
    "lt": ("aė", "s"),
    "is": ("a", ""),
}
"""Language → last letters of women's and of men's first names; "" stands for a consonant. For names in no list."""
_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxzбвгджзйклмнпрстфхцчшщ")


def of_words(cells: pl.Series, meaning: Mapping[str, str] | None = None) -> pl.Series:
    """From a gender column.

    `meaning` declares what its codes say ({"0": "m", "1": "f"}); without it, codes say nothing.
    """
    known = gender_words.genders()
    declared = {fold(str(k).strip()): v for k, v in (meaning or {}).items()}
    return _each(cells, lambda cell: declared.get(key := fold(cell.strip()), known.get(key.rstrip("."))))


def of_titles(cells: pl.Series) -> pl.Series:
    """From titles: Mr, Frau, Pani, г-жа.

    A title that anybody may bear (Dr) has no gender; of "Frau Dr." the first that has one counts.
    """
    known = gender_words.titles()
    return _each(cells, lambda cell: next((known[w] for w in fold(cell).replace(".", "").split() if w in known), None))


def of_first_names(cells: pl.Series, locale: str) -> pl.Series:
    """From first names. Of several, the first that a list knows counts."""
    locale = checked(locale)
    return _each(cells, lambda cell: _of_first_name(cell, locale))


@caches.of_words(1 << 14)
def _of_first_name(cell: str, locale: str) -> str | None:
    words = [w for part in cell.replace(",", " ").split() if (w := clean(part))]
    words += [p for w in words if "-" in w for p in w.split("-") if len(p) > 1]
    return next((g for w in words if (g := first_name(w, locale))), None) or next(
        (g for w in words if (g := _by_ending(w, locale))), None
    )


def of_last_names(cells: pl.Series, locale: str) -> pl.Series:
    """From surnames that are inflected: Kowalska, Nováková, Иванова."""
    tongue = language(checked(locale))
    return _each(cells, lambda cell: _of_last_name(cell, tongue))


@caches.of_words(1 << 14)
def _of_last_name(cell: str, tongue: str) -> str | None:
    return inflect.gender(cell.strip().lower() if cell.isupper() else cell.strip(), tongue)


def of_rows(
    locale: str,
    *,
    gender: pl.Series | None = None,
    title: pl.Series | None = None,
    first_name: pl.Series | None = None,
    last_name: pl.Series | None = None,
    meaning: Mapping[str, str] | None = None,
) -> pl.Series:
    """What the columns of a table say together: the first that tells, in the order of the arguments.

    At least one column must be given; `split` (in `piiscan.masking.surrogates.name_format`) takes full names apart.
    Returns Strings: "f", "m" or null.
    """
    import polars as pl

    found = sources(locale, gender=gender, title=title, first_name=first_name, last_name=last_name, meaning=meaning)
    given = [s.alias(str(i)) for i, s in enumerate(found) if s is not None and len(s)]
    return (
        pl.DataFrame(given).select(pl.coalesce(pl.all()).alias("gender")).to_series()
        if given
        else pl.Series("gender", [], pl.String)
    )


def sources(
    locale: str,
    *,
    gender: pl.Series | None = None,
    title: pl.Series | None = None,
    first_name: pl.Series | None = None,
    last_name: pl.Series | None = None,
    meaning: Mapping[str, str] | None = None,
) -> list[pl.Series | None]:
    """What each column of a table says by itself, the surest first; None for one that isn't given."""
    return [
        None if column is None else f(column)
        for column, f in (
            (gender, lambda c: of_words(c, meaning)),
            (title, of_titles),
            (first_name, lambda c: of_first_names(c, locale)),
            (last_name, lambda c: of_last_names(c, locale)),
        )
    ]


def first_name(name: str, locale: str) -> str | None:
    """The gender of a first name, by Faker's lists of the locale and its frequency in the country.

    The frequency is that among the women and the men of the country.

    >>> (first_name("Zofia", "pl_PL"), first_name("Andrea", "it_IT"), first_name("Andrea", "en_US"),
    ...  first_name("Taylor", "en_IE"))
    ('f', 'm', 'f', None)
    """
    f, m = _faker_shares(locale).get(key := fold(name), (0.0, 0.0))
    others = shares(key, country(locale), language(locale))
    f, m = f + others[0], m + others[1]
    if not f and not m:
        return None
    share = f / (f + m)
    if share >= CLEAR:
        return "f"
    return "m" if share <= 1 - CLEAR else None


@cache
def _faker_shares(locale: str) -> dict[str, tuple[float, float]]:
    provider = faker_class("person", locale)
    out: dict[str, tuple[float, float]] = {}
    for column, names in enumerate((provider.first_names_female, provider.first_names_male)):
        weights = dict(names.items()) if isinstance(names, Mapping) else dict.fromkeys(names, 1.0)
        total = sum(weights.values())
        for name, weight in weights.items():
            for part in (name, name.split()[0]):
                both = list(out.get(key := fold(part), (0.0, 0.0)))
                both[column] += weight / total
                out[key] = (both[0], both[1])
    return out


def _by_ending(name: str, locale: str) -> str | None:
    women, men = _ENDINGS.get(language(locale), (None, ""))
    last = name[-1:].lower()
    if women is None:
        return None
    if last in women:
        return "f"
    return "m" if (last in men if men else last in _CONSONANTS) else None


def _each(cells: pl.Series, gender: Callable[[str], str | None]) -> pl.Series:
    import polars as pl

    distinct = cells.drop_nulls().unique()
    values = distinct.to_list()
    return cells.replace_strict(
        distinct, pl.Series([gender(v) for v in values], dtype=pl.String), default=None, return_dtype=pl.String
    )
