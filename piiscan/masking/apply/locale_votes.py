"""Infers where the people of rows are from: by country, telephone number or name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from piiscan.masking.apply import people
from piiscan.masking.plan.plan_types import Subject
from piiscan.masking.surrogates.home_locale import each_value, of_countries, of_names, of_phones, script_of
from piiscan.masking.surrogates.locales import script


def locale_votes(frame: pl.DataFrame, subject: Subject, candidates: Collection[str]) -> list[pl.Series | None]:
    """Return the locale of each row (one of `candidates`, or null) by source, the surest source first.

    The sources are the column of countries, the prefix of the telephone number, the names, and the locale of most names
    of the table; None for a source that is missing. A locale whose script differs from the row's names doesn't count.
    """
    if not candidates:
        return []
    names = people.whole_names(frame, subject)
    found = [
        None if i is None else tell(frame[str(i)].cast(pl.String), candidates)
        for i, tell in ((subject.country, of_countries), (subject.phone, of_phones))
    ]
    by_name = None if names is None else of_names(names, candidates)
    home = pl.Series([subject.locale]).new_from_index(0, len(frame)) if subject.locale in candidates else None
    if names is None:
        return [*found, by_name, home]
    written = each_value(names, script_of)
    fits = {locale: script(locale) for locale in candidates}
    in_script = [None if f is None else _in_script(f, written, fits) for f in (*found, home)]
    return [*in_script[:-1], by_name, in_script[-1]]


def _in_script(locales: pl.Series, written: pl.Series, scripts: Mapping[str, str]) -> pl.Series:
    of_locale = locales.replace_strict(scripts, default=None, return_dtype=pl.String)
    return locales.zip_with((of_locale == written) & written.is_not_null(), pl.Series([None], dtype=pl.String))
