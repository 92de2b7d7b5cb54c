"""Chooses the locale of each made-up street: the locale of most people who live in the original street.

A street has one mask wherever it stands, so its locale is decided once for each street and not for each person.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import polars as pl

from piiscan.masking.apply.distinct_values import filled
from piiscan.masking.plan.plan_types import Action, TablePlan
from piiscan.masking.plan.whose_columns import whose_place

_SEED: Final = 13
_PAIRS: Final = {"text": pl.String, "subject": pl.String}
ENTRIES: Final = {"text": pl.String, "locale": pl.String}
"""The canonical text of a street, and its locale, "" for that of the plan."""


def street_columns(plan: TablePlan) -> list[Action]:
    """The columns of a table whose streets may be of several locales."""
    return [a for a in plan.columns if a.operator == "surrogate" and a.params.get("locales")]


def lives_there(street: Action, plan: TablePlan) -> str | None:
    """The subject who lives in a column's streets, also in those of lists, whose masks are of no subject."""
    person = whose_place(street.name, plan.subjects) if street.subject is None else None
    return person.name if person else street.subject


def _canonical(streets: pl.Series) -> pl.Series:
    from piiscan.masking.surrogates.personas import canonical

    return canonical(streets.cast(pl.String))


class StreetLocales:
    """The locales of the streets of a run, each found by 64 bits of the hash of its canonical text."""

    def __init__(self, entries: pl.DataFrame | None = None) -> None:
        self.entries = pl.DataFrame(schema=ENTRIES) if entries is None else entries
        hashes = self.entries["text"].hash(_SEED).to_numpy()
        order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[order]
        self._locales = self.entries["locale"].gather(order)

    def of(self, streets: pl.Series) -> pl.Series:
        """The locale of each street, by its canonical text (String, no nulls); null for the plan's."""
        null = pl.Series([None], dtype=pl.String)
        if not len(self._hashes):
            return null.new_from_index(0, len(streets))
        own = streets.hash(_SEED).to_numpy()
        at = np.minimum(np.searchsorted(self._hashes, own), len(self._hashes) - 1)
        found = self._locales.gather(at)
        return found.zip_with(pl.Series(self._hashes[at] == own) & (found != ""), null)


class StreetVotes:
    """Takes the rows of all tables; `decided` gives the locales of their streets.

    `texts`: the canonical text of each street.
    """

    def __init__(self, texts: Callable[[pl.Series], pl.Series]) -> None:
        self._texts = texts
        self._pairs = pl.DataFrame(schema=_PAIRS)
        self._waiting: list[pl.DataFrame] = []

    def add(self, cells: pl.Series, whose: pl.Series | None) -> None:
        """Add cells of a column of streets, with a text for whom each row is about ("" where unknown).

        None for a column of no subject.
        """
        of = pl.lit("", dtype=pl.String) if whose is None else whose
        rows = pl.select(cells.alias("text")).with_columns(of.alias("subject"))
        while isinstance(rows["text"].dtype, pl.List | pl.Array):
            rows = rows.explode("text")
        rows = rows.with_columns(_canonical(filled(rows["text"]).fill_null("")).alias("text"))
        once = rows.filter(pl.col("text") != "").unique()
        self._waiting.append(once.with_columns(self._texts(once["text"]).alias("text")))
        if sum(map(len, self._waiting)) > len(self._pairs) + (1 << 18):
            self._gather()

    def _gather(self) -> None:
        self._pairs = pl.concat([self._pairs, *self._waiting]).unique()
        self._waiting = []

    def decided(self, known: pl.DataFrame, subjects: pl.DataFrame) -> pl.DataFrame:
        """`ENTRIES` in the order of their texts; those `known` already stay as they are.

        `subjects`: String columns `text` and `locale`, null for the plan's. A street of as many people of one locale
        as of another is of the plan's.
        """
        self._gather()
        new = self._pairs.join(known, on="text", how="anti")
        locales = subjects.select(pl.col("text").alias("subject"), "locale")
        votes = new.filter(pl.col("subject") != "").join(locales, on="subject", how="left")
        counts = votes.with_columns(pl.col("locale").fill_null("")).group_by("text", "locale").len("n")
        most = counts.filter(pl.col("n") == pl.col("n").max().over("text"))
        clear = most.filter(pl.len().over("text") == 1).select("text", "locale")
        found = (
            new.select("text").unique().join(clear, on="text", how="left").with_columns(pl.col("locale").fill_null(""))
        )
        return pl.concat([known, found]).sort("text")
