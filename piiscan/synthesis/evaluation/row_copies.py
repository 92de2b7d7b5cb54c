"""How many synthetic rows match a unique real row, compared with how many new real rows do."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from piiscan.synthesis.evaluation.coded_table import Coded


class Copies(NamedTuple):
    """Rows that match unique ones.

    Rows are compared in all columns, as they are coded. `unique`: rows of the larger part of the real table that no
    other row in it equals. `synthetic` and `held_out`: the share of synthetic rows, and of the other real rows, that
    are equal to one of those. A larger share of synthetic rows than of real ones hints that rows were copied.
    """

    unique: int
    synthetic: float
    held_out: float


def copies(train: Coded, test: Coded, synthetic: Coded) -> Copies:
    known = _rows(train)
    unique = known.group_by(pl.all()).len().filter(pl.col("len") == 1).drop("len")

    def share(table: Coded) -> float:
        return _rows(table).join(unique, on=unique.columns, how="semi").height / table.rows

    return Copies(unique.height, share(synthetic), share(test))


def _rows(table: Coded) -> pl.DataFrame:
    return pl.DataFrame({str(i): c for i, c in enumerate(table.codes)})
