"""Gives telephone numbers whose country is known from elsewhere their country code."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from piiscan.masking.plan.plan_types import Action


def with_country(action: Action, countries: pl.Series, each: Sequence[pl.Series]) -> list[pl.Series]:
    """Return values and masks of a telephone column, those without a country code with one.

    The country is that of their row in `countries`, or the column's where it is null.
    """
    from piiscan.masking.surrogates import phones

    countries = countries.fill_null(str(action.params.get("country", "")))
    out = []
    for cells in each:
        made = cells.cast(pl.String)
        for country in countries.unique().to_list():
            at = (countries == country).arg_true()
            some = made.gather(at)
            has = some.is_not_null()
            made = made.scatter(at.filter(has), phones.international(some.filter(has), country))
        out.append(made)
    return out
