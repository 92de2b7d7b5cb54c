"""One column before and after masking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.masking.apply.distinct_values import filled, one_to_one
from piiscan.masking.information_loss.number_grid import LARGEST, Grid
from piiscan.masking.information_loss.value_counts import Hashes, Values
from piiscan.masking.plan.plan_types import Action

MEASURES: Final = frozenset((None, "AGE", "INCOME", "DATE_OF_BIRTH", "GEO_COORDINATES"))
"""Entities whose numbers measure something; those of others are names, and have no distances."""
NUMBER: Final = "number"
DAY: Final = "day"
_DATES: Final = ("%-d.%-m.%Y", "%-m/%-d/%Y", "%-d/%-m/%Y", "%Y-%m-%d", "%Y/%m/%d")
_SEED: Final = 11
_MICROSECONDS: Final = 86_400e6


@dataclass(frozen=True)
class Side:
    """A column before, or after.

    `characters`: how many its texts have; `readings`: its distribution, by how its cells were read as numbers, since a
    text may be a date in several ways.
    """

    values: Values
    filled: int = 0
    empty: int = 0
    characters: int = 0
    readings: Mapping[str, Grid] = field(default_factory=dict)

    def __add__(self, other: Side) -> Side:
        readings = dict(self.readings)
        for name, grid in other.readings.items():
            readings[name] = readings[name] + grid if name in readings else grid
        return Side(
            self.values + other.values,
            self.filled + other.filled,
            self.empty + other.empty,
            self.characters + other.characters,
            readings,
        )


@dataclass(frozen=True)
class ColumnChange:
    """A column before and after masking; `after` is None for a column that is gone.

    `filled_left`: how many cells were filled, on rows that stay; `changed`: how many of those differ now.
    """

    before: Side
    after: Side | None
    changed: int = 0
    filled_left: int = 0

    def __add__(self, other: ColumnChange) -> ColumnChange:
        after = None if self.after is None or other.after is None else self.after + other.after
        return ColumnChange(
            self.before + other.before,
            after,
            self.changed + other.changed,
            self.filled_left + other.filled_left,
        )


class ColumnObserver(NamedTuple):
    """Compares one column of a table before and after. `k`: how many values it distinguishes."""

    action: Action
    k: int

    @property
    def measures(self) -> bool:
        return self.action.entity in MEASURES

    def empty(self) -> ColumnChange:
        nothing = Side(Values.empty(self.k))
        return ColumnChange(nothing, None if self.action.operator == "drop" else nothing)

    def observe(
        self, before: pl.Series, after: pl.Series | None, kept: pl.Series | None, total: ColumnChange
    ) -> ColumnChange:
        """Return the change in one batch.

        `after`: the masks, None where the column stays as it is; `kept`: which rows stay. `total`:
        what it will be added to.
        """
        if isinstance(before.dtype, pl.List | pl.Array) and kept is None:
            before, after = one_to_one(before, before if after is None else after)
        before = filled(before)
        old = _hashes(before)
        was = self._side(before, old, total.before)
        left = was.filled if kept is None else len(before.filter(kept).drop_nulls())
        if self.action.operator == "drop":
            return ColumnChange(was, None, left, left)
        if after is None and kept is None:
            return ColumnChange(was, was, 0, left)
        after = before if after is None else filled(after)
        there, new = before.is_not_null().to_numpy(), old if after is before else _hashes(after)
        stays = np.ones(len(before), dtype=np.bool_) if kept is None else kept.to_numpy()
        changed = int(np.count_nonzero(stays & there & ((old != new) | after.is_null().to_numpy())))
        masks = after if kept is None else after.filter(kept)
        return ColumnChange(was, self._side(masks, new[stays], (total.after or total.before)), changed, left)

    def _side(self, cells: pl.Series, hashes: Hashes, total: Side) -> Side:
        there = cells.is_not_null().to_numpy()
        n = int(np.count_nonzero(there))
        characters = int(cells.str.len_chars().sum() or 0) if cells.dtype == pl.String else 0
        values = Values.of(hashes[there], self.k, total.values.limit)
        return Side(values, n, len(cells) - n, characters, self._readings(cells))

    def _readings(self, cells: pl.Series) -> dict[str, Grid]:
        found = read(cells, self._dates) if self.measures else {}
        return {name: Grid.of(numbers.drop_nulls().to_numpy()) for name, numbers in found.items() if numbers.count()}

    @property
    def _dates(self) -> bool:
        return self.action.entity == "DATE_OF_BIRTH" or self.action.operator.startswith("date")


def read(cells: pl.Series, dates: bool) -> dict[str, pl.Series]:
    """A column's cells as numbers (Float64), in each way that they can be read; null where a cell can't be.

    `dates`:
    texts may be dates.
    """
    found: dict[str, pl.Series] = {}
    if cells.dtype.is_numeric():
        found[NUMBER] = cells.cast(pl.Float64)
    elif cells.dtype == pl.Date:
        found[DAY] = cells.cast(pl.Int32).cast(pl.Float64)
    elif isinstance(cells.dtype, pl.Datetime):
        found[DAY] = cells.dt.timestamp("us") / _MICROSECONDS
    elif cells.dtype == pl.String:
        from piiscan.masking.operators import date_text

        found[NUMBER] = cells.cast(pl.Float64, strict=False)
        if dates:
            found |= {form: date_text.read(cells, form)["date"].cast(pl.Int32).cast(pl.Float64) for form in _DATES}
    none = pl.Series([None], dtype=pl.Float64)
    return {name: numbers.zip_with(numbers.is_between(-LARGEST, LARGEST), none) for name, numbers in found.items()}


def _hashes(cells: pl.Series) -> Hashes:
    """Of the cells' texts, so that a number and its text are the same; within this process only."""
    plain = cells if cells.dtype == pl.String or cells.dtype.is_nested() else cells.cast(pl.String)
    return plain.hash(seed=_SEED).to_numpy()
