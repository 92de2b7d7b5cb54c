"""The public declaration of a column, and how a cell becomes a small integer by it.

Nothing here depends on another cell. A number is clamped to its bounds and counted in steps of a power of ten,
100,000 to a million of them from the lower bound to the upper one. A category becomes its index among the declared
ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

    Ints = npt.NDArray[np.int64]

Source = Literal["declared", "registry", "estimated"]
BINS: Final = 20
CANDIDATES: Final = 1000
"""A quantile is selected among at most this many candidates."""
SQUARES: Final = 1 << 20
"""The square of the greatest distance from the middle, in units in which squares are summed; also a product of two
such distances.
"""
_FEWEST_STEPS: Final = 5


@dataclass(frozen=True)
class Number:
    """A column of numbers between public bounds.

    low, high: the bounds; a cell outside them counts as the nearest bound. cuts: the inner bin edges of its
    histogram. A cell that isn't a plain decimal number counts as missing. Raises `UsageError` for contradictory bounds
    or edges.
    """

    low: float
    high: float
    cuts: tuple[float, ...] = ()
    source: Source = "declared"

    def __post_init__(self) -> None:
        numbers = (self.low, self.high, *self.cuts)
        if not all(map(math.isfinite, numbers)) or max(map(abs, numbers)) > 1e15:
            raise UsageError("bounds and edges must be numbers with at most 15 digits")
        if not self.low < self.high:
            raise UsageError("the lower bound must be below the upper one")
        if list(self.cuts) != sorted(set(self.cuts)) or (
            self.cuts and not (self.low < self.cuts[0] and self.cuts[-1] < self.high)
        ):
            raise UsageError("edges must ascend, and be between the bounds")
        if self.steps < 1:
            raise UsageError("the bounds are too close together for their magnitude")

    @cached_property
    def places(self) -> int:
        """A step is 10^−`places`."""
        return _FEWEST_STEPS - math.floor(math.log10(self.high - self.low))

    @cached_property
    def step(self) -> Fraction:
        return Fraction(10) ** -self.places

    @cached_property
    def steps(self) -> int:
        """The number of steps from the lower bound to the upper one."""
        return int((_exact(self.high) - _exact(self.low)) / self.step)

    @cached_property
    def middle(self) -> int:
        """The middle, in steps from the lower bound.

        Sums are taken of distances from here, which minimises the effect of one cell.
        """
        return self.steps // 2

    @cached_property
    def half_range(self) -> int:
        """The greatest distance from the middle, in steps."""
        return self.steps - self.middle

    @cached_property
    def edges(self) -> tuple[float, ...]:
        """The ends of the bins: the declared ones, or `BINS` equal ones."""
        if self.cuts:
            return (self.low, *self.cuts, self.high)
        return tuple(
            float(_exact(self.low) + (_exact(self.high) - _exact(self.low)) * i / BINS) for i in range(BINS + 1)
        )

    @cached_property
    def grid(self) -> int:
        """The steps from one candidate of a quantile to the next: 1, 2 or 5 times a power of ten."""
        lengths = (m * int(10**power) for power in range(20) for m in (1, 2, 5))
        return next(length for length in lengths if self.steps // length < CANDIDATES)

    @property
    def candidates(self) -> int:
        """The number of candidates of a quantile."""
        return self.steps // self.grid + 1

    def value(self, steps: int | Fraction) -> float:
        """Convert steps from the lower bound to a number."""
        return float(_exact(self.low) + steps * self.step)

    def coded(self, cells: Ints | npt.NDArray[np.float64]) -> Ints:
        """Convert numbers other than NaN to steps from the lower bound."""
        import numpy as np

        # Bounded first: floats of this size are as exact as the steps.
        away = np.clip(cells, self.low, self.high) - self.low
        result: Ints = np.clip(np.rint(away * 10.0**self.places), 0, self.steps).astype(np.int64)
        return result

    def squares(self, steps: Ints) -> Ints:
        """Squared distances from the middle, 2^20 for the greatest."""
        away, most = steps - self.middle, self.half_range * self.half_range
        return (away * away * SQUARES + most // 2) // most

    def products(self, steps: Ints, other: Number, others: Ints) -> Ints:
        """Return the products with another column's distances, both from their middles.

        They are 2^20 for the greatest distance in both, and negative on opposite sides.
        """
        most = self.half_range * other.half_range
        return ((steps - self.middle) * (others - other.middle) * SQUARES + most // 2) // most

    def bins(self, steps: Ints) -> Ints:
        """Return the bin of each number; the last bin includes its upper end."""
        import numpy as np

        inner = [math.ceil((_exact(e) - _exact(self.low)) / self.step) for e in self.edges[1:-1]]
        return np.searchsorted(np.array(inner, dtype=np.int64), steps, side="right").astype(np.int64)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the bins, as intervals."""
        ends = [f"{e:.15g}" for e in self.edges]
        pairs = list(pairwise(ends))
        return tuple(f"[{a}, {b})" for a, b in pairs[:-1]) + (f"[{pairs[-1][0]}, {pairs[-1][1]}]",)


@dataclass(frozen=True)
class Categories:
    """A column of public categories.

    values: the categories. Any other value counts as `OTHER`, an empty cell as `MISSING`. Raises `UsageError` if
    categories repeat.
    """

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if (
            not self.values
            or len(set(self.values)) < len(self.values)
            or not all(v and v == v.strip() for v in self.values)
        ):
            raise UsageError("categories must be at least one, and all different")
        if None in self.as_read:
            raise UsageError(f"{_NOT_A_NUMBER} counts as missing and can't be a category")
        if len(set(self.as_read)) < len(self.values):
            raise UsageError("categories must be different: 1 and 1.0 are the same one")

    @property
    def as_read(self) -> tuple[str, ...]:
        """The categories as `words` writes them."""
        import polars as pl

        return tuple(words(pl.Series(self.values, dtype=pl.String)).to_list())

    @property
    def labels(self) -> tuple[str, ...]:
        """The categories themselves."""
        return self.values


@dataclass(frozen=True)
class Unbounded:
    """A column of numbers whose bounds are to be estimated with noise from the data. See `Powers`."""

    cuts: tuple[float, ...] = field(default=(), init=False)


@dataclass(frozen=True)
class Keys:
    """A column with private categories: those that enough units have are found under a δ."""


Domain = Number | Categories | Unbounded | Keys
OTHER: Final = "(other)"
MISSING: Final = "(missing)"

LEAST_POWER: Final = -20
MOST_POWER: Final = 40
POWERS: Final = 2 * (MOST_POWER - LEAST_POWER + 1) + 1
"""Bins by sign and power of two, and one for 0."""


def powers(cells: npt.NDArray[np.float64]) -> Ints:
    """Return for each number the bin of its power of two.

    In the middle is 0, then |x| up to 2^−20, below 2^−19, …, 2^40 and above.
    """
    import numpy as np

    exponent = np.frexp(np.abs(cells))[1].astype(np.int64)  # |x| < 2^exponent, and half of that at least
    exponent = np.where(np.isinf(cells), MOST_POWER, np.clip(exponent, LEAST_POWER, MOST_POWER))
    rank = exponent - LEAST_POWER + 1
    result: Ints = POWERS // 2 + np.where(cells > 0, rank, np.where(cells < 0, -rank, 0))
    return result


def power_bounds(first: int, last: int) -> tuple[float, float]:
    """Return the bounds of the values in bins `first` to `last`."""

    def outer(rank: int) -> float:
        return math.copysign(2.0 ** (LEAST_POWER + abs(rank) - 1), rank) if rank else 0.0

    def inner(rank: int) -> float:
        if not rank:
            return 0.0
        return outer(rank - 1 if rank > 0 else rank + 1)

    low, high = first - POWERS // 2, last - POWERS // 2
    a = outer(low) if low < 0 else inner(low)
    b = outer(high) if high > 0 else inner(high)
    return (a, b) if a < b else (a, a + 1.0)


def numbers(cells: pl.Series) -> pl.Series:
    """Convert cells to Float64: null for anything but a plain decimal number, including NaN and truth values."""
    import polars as pl

    cells = _single(cells)
    if not (cells.dtype.is_numeric() or cells.dtype == pl.String):
        return pl.Series(cells.name, [None] * len(cells), dtype=pl.Float64)
    if cells.dtype == pl.String:
        cells = cells.str.strip_chars()
    return cells.cast(pl.Float64, strict=False).fill_nan(None)


def words(cells: pl.Series) -> pl.Series:
    """Convert cells to text without surrounding white space: null for empty cells and for lists of several values.

    A number is written the same in columns of integers, floats and text, since the type of a column may depend on
    other rows.
    """
    import polars as pl

    cells = _single(cells)
    if cells.dtype.is_nested() or cells.dtype == pl.Binary:
        return pl.Series(cells.name, [None] * len(cells), dtype=pl.String)
    if cells.dtype.is_float():
        text = pl.select(_float_text(pl.lit(cells))).to_series()
    else:
        text = cells.cast(pl.String).str.strip_chars()
        odd = text.str.contains(_AS_FLOAT)
        if odd.any():
            number = pl.when(pl.lit(odd)).then(pl.lit(text)).cast(pl.Float64, strict=False)
            text = pl.select(
                pl.when(number.is_not_null()).then(_float_text(number)).otherwise(pl.lit(text))
            ).to_series()
        if cells.dtype == pl.Datetime:
            text = text.str.replace(r"\.0+$", "")
    return text.set(text.is_in(["", _NOT_A_NUMBER]).fill_null(value=False), None).alias(cells.name)


def codes(cells: pl.Series, domain: Categories) -> pl.Series:
    """Return each cell's index among the categories, null for any other value."""
    import polars as pl

    return words(cells).cast(pl.Enum(list(domain.as_read)), strict=False).to_physical().cast(pl.Int64)


_MOST_WHOLE: Final = 2.0**53
"""Whole numbers below this are the same as floats."""
_NOT_A_NUMBER: Final = "nan"
"""How readers write a float that is NaN in a text column; in a column of floats it's missing."""
_AS_FLOAT: Final = r"^-?([0-9]+\.0|[0-9](\.[0-9]+)?e[+-][0-9]{2,3})$"
"""Texts that readers make of floats, and that are written differently elsewhere."""


def _float_text(x: pl.Expr) -> pl.Expr:
    import polars as pl

    whole = x.is_finite() & (x == x.round()) & (x.abs() < _MOST_WHOLE)
    return (
        pl.when(whole).then(x.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(x.fill_nan(None).cast(pl.String))
    )


def _single(cells: pl.Series) -> pl.Series:
    """Unwrap a list of one value: a reader makes lists of all cells if a single cell contains one."""
    import polars as pl

    if cells.dtype != pl.List:
        return cells
    return _single(pl.select(pl.when(cells.list.len() == 1).then(cells.list.first())).to_series().alias(cells.name))


def _exact(number: float) -> Fraction:
    """Return the exact decimal of a parameter as it is written."""
    return Fraction(repr(float(number)))
