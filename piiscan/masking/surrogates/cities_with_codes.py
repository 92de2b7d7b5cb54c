"""Places whose city, region and postal code agree: big cities of each locale's country.

They come from `cities_with_codes.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.core.errors import UsageError
from piiscan.core.header_words import fold
from piiscan.masking.surrogates import keyed_choices
from piiscan.masking.surrogates.keyed_functions import Words
from piiscan.masking.surrogates.locales import checked

if TYPE_CHECKING:
    import polars as pl

_LETTERS: Final = "AEHNPRTWXY"
"""Those that stand behind the beginning of postal codes in all countries that have letters there."""
_ANY: Final = {"#": "0123456789", "@": _LETTERS}
_ABBREVIATION: Final = re.compile(r"[A-ZÖ0-9]{1,3}")
_SHORT: Final = 0.8
"""Of a column's regions so many are abbreviations where it has those."""
_PLAIN: Final = 0.8
"""Of a column's postal codes so many lack spaces and hyphens where it writes none."""
_SEPARATORS: Final = r"[\s-]"
LOOKS: Final = {"city": ("City", "CITY"), "region": ("Region", "REGION", "CODE"), "postal_code": ("Code", "Plain")}
"""How a column may write a part: in capitals, abbreviated, without spaces and hyphens."""


class Place(NamedTuple):
    """A city.

    `code`: its region's abbreviation, "" for none. `codes`: its postal codes as ranges of numbers, or as the
    beginnings that they may have.
    """

    city: str
    region: str
    code: str
    codes: tuple[tuple[int, int] | str, ...]

    @property
    def sizes(self) -> list[int]:
        """How many numbers each of its ranges has."""
        return [1 if isinstance(c, str) else c[1] - c[0] + 1 for c in self.codes]


class Country(NamedTuple):
    """The cities of a locale, and how their postal codes are written.

    `0` represents a digit of their numbers, `*` their beginnings, `#` any digit, `@` a letter.
    """

    form: str
    places: tuple[Place, ...]


@cache
def _text() -> str:
    return Path(__file__).with_name("cities_with_codes.txt").read_text(encoding="utf-8")


def digest() -> str:
    """The digest of the list: with another list, people would get other places."""
    return sha256(_text().encode()).hexdigest()[:16]


def check_digest(made_with: str) -> None:
    """Raises `UsageError` where the list isn't the one that a plan was made with."""
    if made_with != digest():
        raise UsageError(
            "the list of places isn't the one that the plan was made with, so people would live elsewhere than in what "
            "was masked before; make a new plan, or use the version of piiscan that made it"
        )


@cache
def country(locale: str) -> Country:
    """The cities of a locale, in the order of the list."""
    section = _text().partition(f"\n[{checked(locale)}] ")[2].partition("\n[")[0]
    form, *lines = section.strip().splitlines()
    return Country(form, tuple(place for line in lines for place in _places(line)))


def _places(line: str) -> Iterable[Place]:
    head, _, cities = line.partition(": ")
    code, _, region = head.partition(" ")
    for each in cities.split("; "):
        city, _, codes = each.rpartition(" ")
        yield Place(city, region, "" if code == "-" else code, tuple(map(_codes, codes.split(","))))


def _codes(text: str) -> tuple[int, int] | str:
    if not re.fullmatch(r"\d+(-\d+)?", text):
        return text
    first, _, last = text.partition("-")
    return int(first), int(last or first)


def region_look(values: Sequence[str]) -> str:
    """How a column writes regions; for a plan.

    >>> [region_look(each) for each in (["CA", "NY"], ["Bayern", "Hessen"], ["BAYERN", "HESSEN"], [])]
    ['CODE', 'Region', 'REGION', 'Region']
    """
    filled = [v.strip() for v in values if v.strip()]
    if filled and sum(bool(_ABBREVIATION.fullmatch(v)) for v in filled) >= _SHORT * len(filled):
        return "CODE"
    return "REGION" if _in_capitals(filled) else "Region"


def city_look(values: Sequence[str]) -> str:
    """Return how cities are written.

    >>> city_look(["BERLIN", "ROMA"]), city_look(["Berlin"])
    ('CITY', 'City')
    """
    return "CITY" if _in_capitals([v.strip() for v in values if v.strip()]) else "City"


def code_look(values: Sequence[str], locale: str) -> str:
    """Return how postal codes are written.

    >>> code_look(["00950", "30002"], "pl_PL"), code_look(["00-950"], "pl_PL"), code_look(["10115"], "de_DE")
    ('Plain', 'Code', 'Code')
    """
    filled = [v.strip() for v in values if v.strip()]
    written = bool(re.search(_SEPARATORS, country(locale).form))
    plain = sum(not re.search(_SEPARATORS, v) for v in filled)
    return "Plain" if written and filled and plain >= _PLAIN * len(filled) else "Code"


def _in_capitals(values: Sequence[str]) -> bool:
    return bool(values) and sum(v.isupper() for v in values) >= _SHORT * len(values)


def spelled(
    kind: str, locale: str, look: str, place: keyed_choices.Bits, draws: Words, region: str | None = None
) -> pl.Series:
    """A part of a place for each draw: `place` decides where, `draws` (two a place) which of its postal codes.

    `region`: only places of the region with this name or abbreviation, if there are any.
    """
    import polars as pl

    found = country(locale)
    wanted = None if region is None else fold(region)
    own = [i for i, p in enumerate(found.places) if wanted in (fold(p.region), fold(p.code))] if wanted else []
    among = np.array(own or range(len(found.places)), dtype=np.int64)
    at = among[keyed_choices.below(place, len(among)).astype(np.int64)]
    if kind == "postal_code":
        codes = _spelled_codes(found, at, draws)
        return codes.str.replace_all(_SEPARATORS, "") if look == "Plain" else codes
    return pl.Series(_names(kind, found, look), dtype=pl.String).gather(at)


def _names(kind: str, found: Country, look: str) -> list[str]:
    names = [p.city if kind == "city" else (p.code if look == "CODE" else "") or p.region for p in found.places]
    return [n.upper() for n in names] if look in ("CITY", "REGION") else names


def _spelled_codes(found: Country, at: NDArray[np.int64], draws: Words) -> pl.Series:
    """A code of each city, one as likely as another; the characters after its number or beginning are random."""
    import polars as pl

    ends = np.cumsum([size for p in found.places for size in p.sizes])
    own = np.array([sum(p.sizes) for p in found.places])
    drawn = (np.cumsum(own) - own)[at] + keyed_choices.below(draws[:, 0], own[at]).astype(np.int64)
    which = np.searchsorted(ends, drawn, side="right")
    codes = [c for p in found.places for c in p.codes]
    if "*" in found.form:
        head = pl.Series([str(c) for c in codes]).gather(which)
    else:
        lasts = np.array([c[1] for c in codes if not isinstance(c, str)])
        number = pl.Series(lasts[which] - (ends[which] - 1 - drawn))
        head = number.cast(pl.String).str.zfill(found.form.count("0"))
    rest, digit = draws[:, 1].copy(), 0
    parts: list[pl.Series] = []
    for sign in found.form:
        if sign == "0":
            part, digit = head.str.slice(digit, 1), digit + 1
        elif sign == "*":
            part = head
        elif sign in _ANY:
            rest, drawn_sign = np.divmod(rest, np.uint64(len(_ANY[sign])))
            part = pl.Series(list(_ANY[sign])).gather(drawn_sign)
        else:
            part = pl.Series([sign]).new_from_index(0, len(head))
        parts.append(part.alias(str(len(parts))))
    return pl.DataFrame(parts).select(pl.concat_str(pl.all()).alias("code"))["code"]


def declared(kind: str, masks: pl.Series, locale: str, look: str) -> pl.Series:
    """Whether each mask (not null) is such a part of one of the places."""
    import polars as pl

    found = country(locale)
    if kind != "postal_code":
        return masks.is_in(_names(kind, found, look))
    if masks.dtype != pl.String:
        look, masks = "Plain", masks.cast(pl.String).str.zfill(len(re.sub(_SEPARATORS, "", found.form)))
    form = _written(found.form, look)
    right = masks.str.contains(f"^{_pattern(form).pattern}$")
    codes = [c for p in found.places for c in p.codes]
    if "*" in form:
        beginnings = masks.str.extract(f"^{_pattern(form).pattern}$")
        return (right & beginnings.is_in([c for c in codes if isinstance(c, str)])).fill_null(False)
    digits = [masks.str.slice(i, 1).alias(str(i)) for i, sign in enumerate(form) if sign == "0"]
    number = pl.DataFrame(digits).select(pl.concat_str(pl.all()).alias("n"))["n"].cast(pl.Int64, strict=False)
    first, last = np.array(sorted(c for c in codes if not isinstance(c, str))).T  # no two overlap
    numbers = number.fill_null(-1).to_numpy()
    at = np.maximum(np.searchsorted(first, numbers, side="right") - 1, 0)
    return right & pl.Series((first[at] <= numbers) & (numbers <= last[at]))


def _written(form: str, look: str) -> str:
    return re.sub(_SEPARATORS, "", form) if look == "Plain" else form


def cities_of(code: str, locale: str, look: str = "Code") -> tuple[str, ...]:
    """The cities that have a postal code.

    >>> cities_of("10115", "de_DE"), cities_of("SW2 1AA", "en_GB"), cities_of("00-950", "pl_PL")
    (('Berlin',), ('London',), ('Warszawa',))
    >>> cities_of("1", "de_DE")
    ()
    """
    form, places = country(locale)
    match = _pattern(_written(form, look)).fullmatch(code)
    if not match:
        return ()
    number = "".join(match.groups())
    return tuple(p.city for p in places if any(_has(codes, number) for codes in p.codes))


def _has(codes: tuple[int, int] | str, number: str) -> bool:
    return number == codes if isinstance(codes, str) else number.isdecimal() and codes[0] <= int(number) <= codes[1]


@cache
def _pattern(form: str) -> re.Pattern[str]:
    signs = {"0": "([0-9])", "*": "([A-Z0-9]+?)"} | {sign: f"[{any_of}]" for sign, any_of in _ANY.items()}
    return re.compile("".join(signs.get(sign) or re.escape(sign) for sign in form))


@cache
def likeliest(kind: str, locale: str) -> float:
    """The share of people who get the commonest city, region or postal code."""
    places = country(locale).places
    if kind == "postal_code":
        return max(1 / sum(p.sizes) for p in places) / len(places)
    names = [p.city if kind == "city" else p.region for p in places]
    return max(map(names.count, names)) / len(names)


def different(kind: str, locale: str) -> int:
    """How many different cities, regions or postal codes there are, at least."""
    places = country(locale).places
    if kind == "postal_code":
        return sum(sum(p.sizes) for p in places)
    return len({p.city if kind == "city" else p.region for p in places})
