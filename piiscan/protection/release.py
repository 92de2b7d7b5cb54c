"""A table and its release."""

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
    """A table and its release.

    info, rows: those of the input, its names as they may be printed. treatments: every column's. table: the counted
    histogram of the columns that aren't dropped, with exact values already written as intervals. exact: the same
    columns as they were.
    found: the result of the search. frame: what is released, its columns named by their indices in the input, in rows
    of random order. units: (rows,) the random id of the person each row belongs to, whether or not it is released;
    None if each row is another person's. identifiers: the input's direct identifiers, by index.

    Guarantee:
        Assumes: the request's unit identifies the person each row belongs to, or each row is another person's; the
        scan, or a person, recognised what columns contain.
        Ensures: `frame` contains no direct identifier, text or list column; every quasi-identifier, whether declared,
        found, or one by its values, is counted in the classes that meet the models; each value that stays unchanged is
        shared by k people; ids are drawn from the system's source of randomness for this release, and link rows of one
        person only if k people have rows with the same labels; the order of rows is drawn from the same source.
        Does not protect against: an attacker who knows a sensitive or insensitive value; what classes disclose if no l
        or t is requested; another release about the same people; names and numbers that the scan doesn't recognise.
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
        """The indices of the columns of `frame` in the input."""
        return tuple(map(int, self.frame.columns))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of `frame` in the release."""
        return tuple(self.treatments[i].name for i in self.places)
