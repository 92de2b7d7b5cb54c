"""The country of telephone numbers without a country code, by the other numbers of their key domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import polars as pl

MOST: Final = 0.8
"""Of the looked-at cells so many name countries where a column tells countries, and of numbers so many are of one
country where it is the column's."""
_ENOUGH: Final = 3
"""So many numbers that are written with and without a country code show which country that is."""
_COMPARED: Final = 5
"""Countries whose numbers are compared, at most: the commonest."""


class Home(NamedTuple):
    """The country that numbers of a domain are of, by their country codes; None for none.

    `same`: the same numbers occur without a code; `elsewhere`: columns in which all numbers have a code tell it, while
    numbers beside those without a code may be those of foreigners.
    """

    country: str | None
    same: bool = False
    elsewhere: bool = False


def home(columns: Sequence[Sequence[str]]) -> Home:
    """The home of a domain's numbers. `columns`: looked-at texts of each of its columns."""
    split = [_split(column) for column in columns]
    national = _joined([one for one, _ in split])
    if not len(national):
        return Home(None)
    coded = _joined([numbers for _, numbers in split])
    countries = _countries(coded)
    if (same := _of_same_numbers(national, coded, countries)) is not None:
        return Home(same, same=True)
    alone = _countries(_joined([numbers for without, numbers in split if not len(without)]))
    for found in (alone, countries):
        if found and found.most_common(1)[0][1] >= MOST * found.total():
            return Home(min(found, key=lambda country: (-found[country], country)), elsewhere=found is alone)
    return Home(None)


def share_at_home(texts: Sequence[str], country: str) -> float:
    """The share of a column's numbers without a country code that are written as numbers of a country are there."""
    from piiscan.masking.surrogates import phones

    national, _ = _split(texts)
    fits = phones.are_domestic(national, country)
    return float(fits.sum()) / len(fits) if len(fits) else 0.0


def _split(texts: Sequence[str]) -> tuple[pl.Series, pl.Series]:
    """The numbers of a column that are written without a country code, and those with one."""
    import polars as pl

    from piiscan.masking.surrogates import phones

    cells = pl.Series("n", texts, dtype=pl.String)
    numbers = cells.filter(cells.str.contains("[0-9]") & ~cells.str.contains(r"^\pL+"))
    without = phones.calling_codes(numbers).is_null()
    return numbers.filter(without), numbers.filter(~without)


def _joined(parts: Sequence[pl.Series]) -> pl.Series:
    import polars as pl

    return pl.concat(parts) if parts else pl.Series("n", [], dtype=pl.String)


def _countries(coded: pl.Series) -> Counter[str]:
    from piiscan.masking.surrogates import phones
    from piiscan.masking.surrogates.numbering_plans import by_code

    plans = {code: plan.countries[0] for code, plan in by_code().items() if not plan.international}
    return Counter(plans[code] for code in phones.calling_codes(coded).to_list() if code in plans)


def _of_same_numbers(national: pl.Series, coded: pl.Series, countries: Counter[str]) -> str | None:
    """The country as whose numbers most of the numbers without a code occur with one."""
    from piiscan.masking.surrogates import phones

    known = phones.whole_numbers(coded, None, "").drop_nulls().unique()
    ranked = sorted(countries, key=lambda country: (-countries[country], country))[:_COMPARED]
    again = {c: int(phones.whole_numbers(national, None, c).unique().is_in(known.implode()).sum()) for c in ranked}
    best = max(ranked, key=lambda country: again[country], default=None)
    return best if best is not None and again[best] >= _ENOUGH else None
