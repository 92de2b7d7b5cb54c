"""A table and what is released of it."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from piiscan.anonymity.counted_table import CountedTable
from piiscan.anonymity.histogram import Histogram
from piiscan.anonymity.result import Anonymized
from piiscan.core.types import TableInfo
from piiscan.protection.column_treatment import ColumnTreatment


@dataclass(frozen=True, eq=False, repr=False)  # it holds values
class Release:
    """A table and what is released of it.

    info, rows: of the input, its names as they may be printed. treatments: every column's. table: the columns that
    aren't dropped, counted; exact values that are written as intervals are counted as such. exact: the same columns as
    they were. found: what the search came to. frame: what is released, its columns named by their places in the input,
    in rows of random order. units: (rows,) the random id of whose row each is, whether or not it is released; None
    where each row is another person's. identifiers: the input's direct identifiers, by place.

    Guarantee:
        Assumes: the request's unit names everybody's rows, or each row is another person's; the scan, or a person, has
            told what columns are.
        Ensures: no direct identifier, text or list is in `frame`; every quasi-identifier, declared, found, or one by
            what its values are, is counted in the classes that meet the models; each value that stays as it is is
            shared by k people; ids are drawn from the system's source of randomness for this release, and join rows of
            one person only where k people have rows of the same labels; so is the order of rows.
        Does not protect against: who knows a sensitive or insensitive value; what classes give away where no l or t is
            asked; another release of the same people; names and numbers that the scan doesn't see.
        Test: test_protect_attacks.py
    """

    info: TableInfo
    rows: int
    treatments: tuple[ColumnTreatment, ...]
    table: CountedTable
    exact: Histogram
    found: Anonymized
    frame: pl.DataFrame
    units: pl.Series | None
    identifiers: dict[int, pl.Series]

    @property
    def places(self) -> tuple[int, ...]:
        """Where the columns of `frame` are in the input."""
        return tuple(map(int, self.frame.columns))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of `frame` as the release calls them."""
        return tuple(self.treatments[i].name for i in self.places)
