"""Assigns telephone numbers without a country code the country of the people who have them, over all tables.

It is decided by the number, so that a number has one mask wherever it occurs, also in rows without a person. All its
people whose country is known have to agree. What an earlier run has decided stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from piiscan.masking.apply.subject_attributes import VOTES, elected
from piiscan.masking.apply.subject_table import SubjectTable
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan
from piiscan.masking.surrogates.locales import country

COUNTRIES: Final = {"text": pl.String, "country": pl.String}
_NUMBER: Final = "\x1ftelephone\x1f"
"""Before a number, in place of a person's key."""
_PAIRS: Final = {"subject": pl.String, "number": pl.String}
_EXTENSION: Final = r"(?i)\s*(?:,?\s*ext?\.?|x|#|;ext=)\s*\d{1,6}\s*$"


def goes_by_person(action: Action) -> bool:
    """Whether the masks of a column are telephones of their people's countries; lists may be of several people."""
    return action.dtype == "string" and bool(action.params.get("by_person"))


def national(cells: pl.Series) -> pl.Series:
    """Numbers written without a country code, in the form by which they are compared; null for others."""
    from piiscan.masking.surrogates.phones import calling_codes

    texts = cells.cast(pl.String)
    digits = texts.str.replace(_EXTENSION, "").str.replace_all(r"\D", "").alias("d")
    frame = pl.DataFrame([digits, calling_codes(texts.fill_null("")).alias("c")])
    size = pl.col("d").str.len_bytes()
    is_national = pl.col("c").is_null() & (size > 0) & ~(pl.col("d").str.starts_with("011") & (size > 11))
    return frame.select(pl.when(is_national).then(_NUMBER + pl.col("d")).alias("number"))["number"]


class CountryVotes:
    """Takes the rows of all tables; `decided` gives the countries of people and of their numbers."""

    def __init__(self, plan: Plan, table: SubjectTable) -> None:
        self._table = table
        self._requested = any(goes_by_person(a) for t in plan.tables for a in t.columns)
        self._usual = {a.params["locale"] for t in plan.tables for a in t.columns if a.params.get("locales")}
        self._votes, self._pairs = pl.DataFrame(schema=VOTES), pl.DataFrame(schema=_PAIRS)

    def add(self, frame: pl.DataFrame, plan: TablePlan, whose: Mapping[str | None, pl.Series]) -> None:
        """Some rows of a table, with the plan's columns; `whose`: by subject, whom each row is about."""
        if not self._requested:
            return
        for subject in plan.subjects:
            texts = whose[subject.name].alias("subject")
            home = "" if subject.locale in self._usual or not self._usual else country(subject.locale)
            for source, countries in enumerate(_told(frame, subject, home)):
                if countries is not None:
                    self._count(texts, source, countries)
            if subject.phone is not None and goes_by_person(plan.columns[subject.phone]):
                numbers = self._table.texts(national(frame[str(subject.phone)]))
                pairs = pl.DataFrame([texts, numbers]).drop_nulls()
                pairs = pairs.filter(pl.col("subject") != "")
                self._pairs = pl.concat([self._pairs, pairs.unique()]).unique()

    def _count(self, texts: pl.Series, source: int, countries: pl.Series) -> None:
        rows = pl.DataFrame([texts, countries.alias("value")]).drop_nulls().filter(pl.col("subject") != "")
        counted = rows.group_by("subject", "value").agg(pl.len().cast(pl.UInt32).alias("n"))
        new = counted.select("subject", pl.lit(source, dtype=pl.Int8).alias("source"), "value", "n")
        whole = pl.concat([self._votes, new])
        self._votes = whole.group_by("subject", "source", "value").agg(pl.col("n").sum())

    def decided(self, known: pl.DataFrame) -> pl.DataFrame:
        """Return `COUNTRIES` of all people and numbers, sorted by text; "" where people disagree or none is known.

        Those `known` already stay as they are.
        """
        own = pl.concat([known, elected(self._votes, "country").join(known, on="text", how="anti")])
        told = self._pairs.join(own, left_on="subject", right_on="text", how="left")
        country = pl.when(pl.col("country").drop_nulls().n_unique() == 1).then(pl.col("country").drop_nulls().first())
        numbers = told.group_by("number").agg(country.fill_null("").alias("country"))
        new = numbers.rename({"number": "text"}).join(own, on="text", how="anti")
        return pl.concat([own, new]).sort("text")


def _told(frame: pl.DataFrame, subject: Subject, home: str) -> list[pl.Series | None]:
    """The country of each row's person by source, the surest first.

    The column of countries, the country code, and `home`, that of the table, for numbers that could be of it; "" for
    none.
    """
    from piiscan.masking.surrogates.countries import country_codes
    from piiscan.masking.surrogates.numbering_plans import by_code
    from piiscan.masking.surrogates.phones import calling_codes

    column = None if subject.country is None else country_codes(frame[str(subject.country)])
    if subject.phone is None or frame[str(subject.phone)].dtype.is_nested():
        return [column, None]
    codes = calling_codes(frame[str(subject.phone)].cast(pl.String).fill_null(""))
    countries = {code: plan.countries[0] for code, plan in by_code().items() if not plan.international}
    return [
        column,
        codes.replace_strict(countries, default=None, return_dtype=pl.String),
        *_at_home(frame, subject.phone, home),
    ]


def _at_home(frame: pl.DataFrame, phone: int, home: str) -> list[pl.Series]:
    """The country `home` for each number without a country code that is as long as its numbers are."""
    from piiscan.masking.surrogates.numbering_plans import plans

    plan = plans().get(home)
    if plan is None:
        return []
    digits = national(frame[str(phone)]).str.strip_prefix(_NUMBER)
    bare = digits.str.strip_prefix(plan.trunk) if plan.trunk else digits
    fits = bare.str.len_bytes().is_in(plan.lengths)
    if plan.trunk:  # without one, as in Italy, a number may begin with 0
        fits &= ~bare.str.starts_with("0")
    return [
        pl.Series([home])
        .new_from_index(0, len(frame))
        .zip_with(fits.fill_null(False), pl.Series([None], dtype=pl.String))
    ]
