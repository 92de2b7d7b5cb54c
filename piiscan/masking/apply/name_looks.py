"""Decides which name formats are common enough in a run for its masks to use them."""

from __future__ import annotations

from typing import Final

import polars as pl

FEWEST: Final = 10
"""Subjects that a locale or a look of names needs: a rarer one would tell who they are."""
_BETWEEN: Final = "\x1c"
_SCHEMA: Final = {"look": pl.String, "text": pl.String}


class NameLooks:
    """The name formats that masks of a run may use.

    `common` formats are those that enough people have. `others` (`look`, `text`) are people who had a format before it
    was common, and whose masks stay as they are.
    """

    def __init__(self, common: pl.Series | None = None, others: pl.DataFrame | None = None) -> None:
        self.common = pl.Series([], dtype=pl.String) if common is None else common
        self.others = pl.DataFrame(schema=_SCHEMA) if others is None else others

    def allowed(self, looks: pl.Series, subjects: pl.Series) -> pl.Series:
        """Which looks (String, null: false) are common enough for the name of each subject."""
        common = looks.is_in(self.common.implode()).fill_null(False)
        if not len(self.others):
            return common
        return common & ~(looks + _BETWEEN + subjects).is_in(_joined(self.others).implode()).fill_null(False)

    def as_texts(self) -> pl.Series:
        """The formats as texts, as a vault stores them."""
        return pl.concat([self.common.alias("look"), _joined(self.others).alias("look")])

    @classmethod
    def of_texts(cls, texts: pl.Series) -> NameLooks:
        parts = texts.str.splitn(_BETWEEN, 2).struct.rename_fields(["look", "text"]).struct.unnest()
        return cls(parts.filter(pl.col("text").is_null())["look"], parts.drop_nulls())


def _joined(pairs: pl.DataFrame) -> pl.Series:
    return pairs["look"] + _BETWEEN + pairs["text"]


class LookCounts:
    """Counts the people who have each look, up to `FEWEST` of them, beside those whom earlier runs have seen."""

    def __init__(self, before: NameLooks | None) -> None:
        self._before = before or NameLooks()
        self._common, self._pairs = self._before.common, self._before.others

    def add(self, texts: pl.Series, looks: pl.Series) -> None:
        """Add people (`texts`) with the format of their names; null where it doesn't count."""
        new = pl.DataFrame({"look": looks, "text": texts}).drop_nulls().filter(pl.col("text") != "")
        new = new.filter(~pl.col("look").is_in(self._common.implode())).unique()
        pairs = pl.concat([self._pairs, new]).unique()
        counts = pairs.group_by("look").len().filter(pl.col("len") >= FEWEST)["look"]
        self._common = pl.concat([self._common, counts])
        self._pairs = pairs.filter(~pl.col("look").is_in(counts.implode()))

    @property
    def found(self) -> NameLooks:
        """Return the formats that are common.

        A rare format "Last, First" counts as common where its halves are common in columns of surnames and of first
        names: those columns show it anyway, and the same person is written alike in both.
        """
        halves = (
            self._pairs["look"]
            .unique()
            .to_frame()
            .with_columns(
                pl.col("look").str.split_exact(", ", 1).struct.rename_fields(["last", "first"]).struct.unnest()
            )
        )
        common = self._common.implode()
        told = halves.filter(pl.col("last").is_in(common) & pl.col("first").is_in(common))["look"]
        rare = self._pairs.filter(~pl.col("look").is_in(told.implode()))
        others = pl.concat([self._before.others, rare]).unique().sort("look", "text")
        return NameLooks(pl.concat([self._common, told]).unique().sort(), others)
