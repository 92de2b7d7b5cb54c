"""Telephones whose country another column tells, written so that their country is told by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.plan import group_columns
from piiscan.masking.plan.plan_types import Action, TablePlan

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_country(
    action: Action, table: TablePlan, frame: pl.DataFrame, row: NDArray[np.int64], each: Sequence[pl.Series]
) -> list[pl.Series]:
    """Values and masks of a column of telephones that stand in these rows of `frame`; those without a country code with
    that of their row's country. As they are, where no column tells it."""
    from piiscan.masking.surrogates import phones
    from piiscan.masking.surrogates.countries import country_codes

    column = group_columns.countries(table.columns, table.source).get(action.index)
    if column is None:
        return list(each)
    countries = country_codes(frame[str(column)].gather(row)).fill_null(str(action.params.get("country", "")))
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
