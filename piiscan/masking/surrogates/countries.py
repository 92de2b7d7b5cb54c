"""Which country a cell names, by a code of ISO 3166-1 or by its name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from piiscan.core.header_words import fold

if TYPE_CHECKING:
    import polars as pl


_MORE = """
SA KSA; Kingdom of Saudi Arabia; المملكة العربية السعودية
AZ Azərbaycan
CZ Česko; Tschechien; Tchéquie; República Checa
DE GER; Německo
GB UK; Großbritannien
IN Bharat
NZ Aotearoa
US Vereinigte Staaten; EE. UU.; США
ES Španělsko
IR Islamic Republic of Iran; ایران
FR Francie
AM Հայաստան
JP Nippon
GE საქართველო
KR 한국
MK Северна Македонија; Nordmazedonien
NP नेपाल
NL NED; Países Bajos; Nizozemsko
NO Noreg
PL Polsko
PT POR
RU Российская Федерация; РФ; Rusko
SK Slovensko
SE Švédsko
UZ Oʻzbekiston; O'zbekiston
CN 中國; PRC
"""
"""Names that people write beside those of the list."""


@cache
def _by_name() -> dict[str, str]:
    more = (line.split(" ", 1) for line in _MORE.strip().splitlines())
    found = {_plain(name): code for code, names in more for name in names.split("; ")}
    for line in Path(__file__).with_name("country_names.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            code, *names = line.split("; ")
            found |= {_plain(name): code for name in (code, *names)}
    return found


def _plain(name: str) -> str:
    return "".join(c for c in fold(name) if c.isalnum())


def country_codes(cells: pl.Series) -> pl.Series:
    """ISO 3166-1 alpha-2 of each cell (String); null for what names no country that has a numbering plan."""
    import polars as pl

    once = cells.cast(pl.String).drop_nulls().unique()
    known = {cell: code for cell in once.to_list() if (code := _by_name().get(_plain(cell)))}
    return cells.cast(pl.String).replace_strict(known, default=None, return_dtype=pl.String)


def code_of(name: str) -> str | None:
    """The code of a country, by its code or one of its names; None for what is none.

    >>> code_of("Deutschland"), code_of("us"), code_of("U.S.A."), code_of("Atlantis")
    ('DE', 'US', 'US', None)
    """
    return _by_name().get(_plain(name))
