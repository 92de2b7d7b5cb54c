"""Exact sums of groups of rows, from which every figure of an aggregate is computed.

A cell counts as the double nearest to it, a whole number times a power of two. So sums of cells, and of products of
two, are whole multiples of a power of two, and are stored as such: nothing is rounded before the last step.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.dtypes import NULLS
from piiscan.core.errors import UsageError
from piiscan.dp import domains as d
from piiscan.dp.domains import MISSING

Key = tuple[str, ...]
"""A group: its value in each grouping column."""
ALL: Final = "(all)"
"""In the key of a total: every value of that column."""
PLACES: Final = 1130
"""Sums are in units of 2^−PLACES, products of 2^−2·PLACES: no double has a finer part."""
LARGEST: Final = 10
"""This many of the largest contributions of a group are kept."""
_ROWS: Final = 1 << 20
"""Rows that are summed at once: products have 106 bits, and 128 bits hold their sum."""
_GREATEST: Final = 1e100
"""Larger cells, infinity included, aren't plausible numbers about people."""
_BUCKET: Final = 32
"""Contributions of units are summed by exponents this far apart: 53 bits and 32 leave room for 2^42 rows."""
_UNIT: Final = "unit"


class Exact(NamedTuple):
    """The exact sums of one group.

    `rows` in which every column has a number; for each column the sum, `sums`, and the sum of absolute values,
    `sizes`; for each pair of columns (i ≤ j, see `pairs`) the sum of `products`; for each column the `largest`
    absolute values, falling, if each row is a unit.
    """

    rows: int
    sums: tuple[int, ...]
    sizes: tuple[int, ...]
    products: tuple[int, ...]
    largest: tuple[tuple[float, ...], ...]

    @classmethod
    def empty(cls, columns: int) -> Exact:
        return cls(0, (0,) * columns, (0,) * columns, (0,) * len(pairs(columns)), ((),) * columns)

    def plus(self, other: Exact) -> Exact:
        merged = (heapq.nlargest(LARGEST, (*a, *b)) for a, b in zip(self.largest, other.largest, strict=True))
        return Exact(
            self.rows + other.rows,
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            tuple(a + b for a, b in zip(self.sizes, other.sizes, strict=True)),
            tuple(a + b for a, b in zip(self.products, other.products, strict=True)),
            tuple(map(tuple, merged)),
        )


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of all groups.

    `groups`: the exact sums of each group of rows. `units`: how much each unit adds to each group, in absolute
    values: a frame with a column for each grouping column ("0", "1", …), `unit`, `column`, `bucket` and `size` (in
    units of 2^(32·bucket − PLACES)); None if each row is a unit of its own. `rows` counts all rows that were read,
    `incomplete` those with a number missing, `nobodys` those without a unit.

    Guarantee:
        Assumes: both sides of `+` have the same columns.
        Ensures: an exact commutative monoid: `of(a) + of(b) == of(a followed by b)`, `empty` is neutral.
        Does not protect against: anything. It is exact, and stays in memory.
        Test: test_aggregate_sums.py::test_sums_are_an_exact_monoid
    """

    groups: Mapping[Key, Exact] = field(default_factory=dict)
    units: pl.DataFrame | None = None
    rows: int = 0
    incomplete: int = 0
    nobodys: int = 0

    @classmethod
    def empty(cls, by: int, with_units: bool) -> Sums:
        return cls(units=_no_units(by) if with_units else None)

    @classmethod
    def of(cls, frame: pl.DataFrame, by: Sequence[str], columns: Sequence[str], unit: str | None = None) -> Sums:
        """Sum the rows of a batch. Rows in which a number is missing count in no group.

        Raises `UsageError` for cells that aren't numbers.
        """
        keys = [d.words(frame[name]).fill_null(MISSING).alias(str(i)) for i, name in enumerate(by)]
        cells = [numbers(frame[name], name).alias(f"x{i}") for i, name in enumerate(columns)]
        whole = pl.DataFrame([*keys, *cells, *([] if unit is None else [d.words(frame[unit]).alias(_UNIT)])])
        complete = whole.drop_nulls([c.name for c in cells])
        kept = complete if unit is None else complete.drop_nulls(_UNIT)
        groups: dict[Key, Exact] = {}
        for part in kept.iter_slices(_ROWS):
            _add(groups, _summed(part, len(by), len(columns), unit is None))
        return cls(
            groups,
            None
            if unit is None
            else _added([_no_units(len(by)), *(_of_units(kept, len(by), i) for i in range(len(columns)))]),
            len(frame),
            len(frame) - len(complete),
            len(complete) - len(kept),
        )

    @classmethod
    def total(cls, parts: Sequence[Sums]) -> Sums:
        """The sum of one or more."""
        groups: dict[Key, Exact] = {}
        for part in parts:
            _add(groups, part.groups)
        units = [p.units for p in parts if p.units is not None]
        return cls(
            groups,
            _added(units) if units else None,
            *(sum(c) for c in zip(*((p.rows, p.incomplete, p.nobodys) for p in parts), strict=True)),
        )

    def __add__(self, other: Sums) -> Sums:
        return Sums.total([self, other])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sums) or (self.units is None) != (other.units is None):
            return False
        same = self.units is None or other.units is None or self.units.sort(pl.all()).equals(other.units.sort(pl.all()))
        return same and (dict(self.groups), self.rows, self.incomplete, self.nobodys) == (
            dict(other.groups), other.rows, other.incomplete, other.nobodys,
        )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]

    def margin(self, kept: Sequence[int]) -> Sums:
        """Return the groups by some of the columns, given by index; keys have `ALL` for the others."""
        groups: dict[Key, Exact] = {}
        for key, exact in self.groups.items():
            _add(groups, {tuple(value if i in kept else ALL for i, value in enumerate(key)): exact})
        units = self.units
        if units is not None:
            gone = [name for name in units.columns if name.isdigit() and int(name) not in kept]
            units = _added([units.with_columns(pl.lit(ALL).alias(name) for name in gone)])
        return Sums(groups, units, self.rows, self.incomplete, self.nobodys)

    def contributions(self) -> dict[Key, tuple[int, tuple[tuple[float, ...], ...]]]:
        """Return how many units each group has, and for each column the largest contributions of units, falling."""
        if self.units is None:
            return {key: (exact.rows, exact.largest) for key, exact in self.groups.items()}
        by = [name for name in self.units.columns if name.isdigit()]
        columns = self.units["column"].max()
        # Exact sums are rounded once each, and added in a fixed order: the same doubles for any batches.
        sizes = (
            self.units.with_columns(
                size=pl.col("size").cast(pl.Float64)
                * pl.lit(2.0).pow(pl.col("bucket").cast(pl.Float64) * _BUCKET - PLACES)
            )
            .sort("bucket")
            .group_by(*by, _UNIT, "column", maintain_order=True)
            .agg(pl.col("size").sum())
            .group_by(*by, "column")
            .agg(pl.len().alias("units"), pl.col("size").top_k(LARGEST).sort(descending=True))
        )
        found: dict[Key, tuple[int, list[tuple[float, ...]]]] = {}
        for *key, column, units, largest in sizes.sort("column").iter_rows():
            found.setdefault(tuple(key), (units, [()] * (int(columns) + 1)))[1][column] = tuple(largest)  # type: ignore[arg-type]
        return {key: (units, tuple(largest)) for key, (units, largest) in found.items()}


def pairs(columns: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of columns, each column with itself too, in the order of `Exact.products`."""
    return tuple(combinations_with_replacement(range(columns), 2))


def numbers(cells: pl.Series, name: str) -> pl.Series:
    """Convert cells to finite Float64; empty cells and words for "missing" (NA, null, -, …) become null.

    Raises `UsageError` for any other cell.
    """
    found = d.numbers(cells)
    empty = cells.is_null()
    if cells.dtype == pl.String:
        empty = empty | cells.str.strip_chars().str.to_lowercase().is_in(list(NULLS))
    elif cells.dtype.is_float():
        empty = empty | cells.is_nan()
    if (found.is_null() & ~empty).any() or (found.abs() > _GREATEST).any():
        raise UsageError(
            f"column {name}: some cells aren't plain decimal numbers (1234.5, not 1,234.5); aggregate numeric columns"
        )
    return found


def _add(groups: dict[Key, Exact], more: Mapping[Key, Exact]) -> None:
    for key, exact in more.items():
        groups[key] = groups[key].plus(exact) if key in groups else exact


def _split(cells: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Split doubles into m · 2^e: m (Int64) of at most 53 bits, e (Int64), 0 if the number is whole."""
    x = cells.to_numpy()
    mantissa, exponent = np.frexp(x)
    whole = (x == np.rint(x)) & (np.abs(x) < 2.0**53)
    m = np.where(whole, x, np.ldexp(mantissa, 53)).astype(np.int64)
    return pl.Series(m), pl.Series(np.where(whole, 0, exponent.astype(np.int64) - 53))


def _summed(frame: pl.DataFrame, by: int, columns: int, largest: bool) -> dict[Key, Exact]:
    """Return the sums of each group from sums by exponents, each of which is exact in 128 bits."""
    keys = [str(i) for i in range(by)]
    split = {i: _split(frame[f"x{i}"]) for i in range(columns)}
    frame = frame.with_columns(
        *(s[0].alias(f"m{i}") for i, s in split.items()), *(s[1].alias(f"e{i}") for i, s in split.items())
    )
    top = [pl.col(f"x{i}").abs().top_k(LARGEST).sort(descending=True) for i in range(columns)] if largest else []
    counts = {tuple(row[:by]): row[by:] for row in frame.group_by(keys).agg(pl.len(), *top).iter_rows()}
    wide = [pl.col(f"m{i}").cast(pl.Int128) for i in range(columns)]
    sums = [_by_exponent(frame, keys, pl.col(f"e{i}"), wide[i], PLACES) for i in range(columns)]
    sizes = [_by_exponent(frame, keys, pl.col(f"e{i}"), wide[i].abs(), PLACES) for i in range(columns)]
    products = [
        _by_exponent(frame, keys, pl.col(f"e{i}") + pl.col(f"e{j}"), wide[i] * wide[j], 2 * PLACES)
        for i, j in pairs(columns)
    ]
    return {
        key: Exact(
            rows,
            tuple(s[key] for s in sums),
            tuple(s[key] for s in sizes),
            tuple(s[key] for s in products),
            tuple(map(tuple, found)) if largest else ((),) * columns,
        )
        for key, (rows, *found) in counts.items()
    }


def _by_exponent(
    frame: pl.DataFrame, keys: list[str], exponent: pl.Expr, whole: pl.Expr, places: int
) -> dict[Key, int]:
    """Return sums of whole · 2^exponent in each group, in units of 2^−places."""
    found: dict[Key, int] = {}
    for *key, e, total in frame.group_by(*keys, exponent.alias("e")).agg(whole.sum()).iter_rows():
        found[tuple(key)] = found.get(tuple(key), 0) + (total << (e + places))
    return found


def _no_units(by: int) -> pl.DataFrame:
    kinds = {_UNIT: pl.String(), "column": pl.Int64(), "bucket": pl.Int64(), "size": pl.Int128()}
    return pl.DataFrame(schema={**{str(i): pl.String() for i in range(by)}, **kinds})


def _of_units(frame: pl.DataFrame, by: int, column: int) -> pl.DataFrame:
    m, e = _split(frame[f"x{column}"])
    shifted = e + PLACES
    size = m.abs().cast(pl.Int128) * (pl.Series(np.left_shift(1, (shifted % _BUCKET).to_numpy()))).cast(pl.Int128)
    made = frame.select(*(str(i) for i in range(by)), _UNIT).with_columns(
        pl.lit(column, pl.Int64).alias("column"), (shifted // _BUCKET).alias("bucket"), size.alias("size")
    )
    return _added([made])


def _added(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    frame = pl.concat(frames)
    return frame.group_by([name for name in frame.columns if name != "size"]).agg(pl.col("size").sum())
