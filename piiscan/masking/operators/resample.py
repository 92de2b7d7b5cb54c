"""Cells drawn anew from the distribution of their own column."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from piiscan.core.types import DType
from piiscan.masking.operators import decimals, distributions
from piiscan.masking.operators.decimals import Point
from piiscan.masking.operators.operator import Contract, FittedOn, Operator, RowContext
from piiscan.masking.operators.preconditions import (
    NUMBERS,
    SCALARS,
    demand,
    demand_cells,
    demand_first,
    demand_key,
    fitted,
    refusal,
)
from piiscan.masking.operators.row_random import uniform
from piiscan.rules.definitions import suggestion

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from piiscan.core.keys import Subkey

_FEWEST = 10


@dataclass(frozen=True)
class Resample(Operator):
    """Each filled cell replaced by a draw from the column's distribution, independent of its row.

    Empty cells stay empty.

    The method "values" draws the column's own values as often as they occur, those of fewer than `least` cells never.
    "distribution" (numbers; needs the extra `fit`) draws from the best of several `distributions` (`distributions.fit`
    says which is best), rounded like the column, between `low` and `high`, by default its smallest and largest number.

    Guarantee:
        Assumes that the key is secret and belongs to this column of this table only.
        Ensures cells that say nothing of their row beyond the column's distribution, the same in every partitioning
        and run under one key.
        Does not protect what the distribution itself tells: shares of values, and for numbers the range. What the
        column had to do with other columns is lost.
        Test: test_operators_random.py::test_resampled_cells_do_not_follow_their_row
    """

    method: Literal["values", "distribution"] = "values"
    least: int = 5
    distributions: tuple[str, ...] = distributions.NAMES
    low: float | None = None
    high: float | None = None
    point: Point = "."
    _values: Any = field(default=None, init=False, repr=False, compare=False)
    _totals: Any = field(default=None, init=False, repr=False, compare=False)
    _law: Any = field(default=None, init=False, repr=False, compare=False)
    _range: tuple[float, float] = field(default=(0.0, 0.0), init=False, repr=False, compare=False)
    _places: int = field(default=0, init=False, repr=False, compare=False)

    name: ClassVar[str] = "resample"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "moved"
    needs: ClassVar[frozenset[str]] = frozenset({"first"})
    fitted_on: ClassVar[FittedOn] = "counts"

    def __post_init__(self) -> None:
        if self.least < 1:
            raise refusal(self.name, "'least' must be 1 or more")
        for one in self.distributions:
            if one not in distributions.NAMES:
                raise refusal(
                    self.name,
                    "'distributions' may contain "
                    f"{', '.join(distributions.NAMES)}{suggestion(one, distributions.NAMES)}",
                )
        if not self.distributions:
            raise refusal(self.name, "'distributions' must not be empty")
        if self.method == "values" and (self.low is not None or self.high is not None):
            raise refusal(self.name, "'low' and 'high' belong to the method 'distribution'")
        if any(b is not None and not (math.isfinite(b) and abs(b) < 1e18) for b in (self.low, self.high)):
            raise refusal(self.name, "'low' and 'high' must be within 10^18")

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, SCALARS if self.method == "values" else NUMBERS)
        return before

    def fit(self, counts: pl.DataFrame) -> Self:
        import polars as pl

        self.dtype(demand_cells(self.name, counts["value"], SCALARS))
        if self.method == "distribution":
            return self._fit_law(counts)
        kept = counts.filter(pl.col("count") >= self.least)
        if len(counts) and not len(kept):
            raise refusal(
                self.name, "no value has 'least' cells; use the method 'distribution' for numbers, or another operator"
            )
        return fitted(self, _values=kept["value"], _totals=kept["count"].cast(pl.Int64).cum_sum().to_numpy())

    def _fit_law(self, counts: pl.DataFrame) -> Self:
        import numpy as np
        import polars as pl

        places = decimals.decimals(counts["value"], self.point)
        n = decimals.finite(decimals.scaled(counts["value"], places, self.point)).cast(pl.Float64) / 10.0**places
        numbers = (
            pl.DataFrame({"x": n, "n": counts["count"].cast(pl.Int64)})
            .drop_nulls()
            .group_by("x")
            .agg(pl.col("n").sum())
            .sort("x")
        )
        if not len(counts):
            return fitted(self, _values=counts["value"])
        if numbers["n"].sum() < _FEWEST or len(numbers) < 2:
            raise refusal(self.name, f"a distribution needs at least {_FEWEST} numbers that aren't all the same")
        x = numbers["x"].to_numpy()
        low, high = float(x[0]) if self.low is None else self.low, float(x[-1]) if self.high is None else self.high
        if low >= high:
            raise refusal(self.name, "'low' must be below 'high', and the column must have numbers between them")
        for law in distributions.fit(x, numbers["n"].to_numpy(), self.distributions):
            if law.cdf(high) - law.cdf(low) > 1e-3 and np.all(
                np.isfinite(law.quantile(np.array([law.cdf(low), law.cdf(high)]) * 0.5 + 0.25))
            ):
                return fitted(self, _values=counts["value"].clear(), _law=law, _range=(low, high), _places=places)
        raise refusal(
            self.name, "none of the 'distributions' fits this column; use the method 'values', or another operator"
        )

    def stays(self, counts: pl.DataFrame) -> float:
        """The share of cells expected to keep their value by chance."""
        cells: npt.NDArray[np.int64] = counts["count"].to_numpy().astype("int64")
        drawn = cells[cells >= (1 if self.method == "distribution" else self.least)]
        return float(drawn @ drawn) / max(1.0, float(drawn.sum()) * float(cells.sum()))

    def mask_rows(self, cells: pl.Series, rows: RowContext, key: Subkey | None) -> pl.Series:
        import polars as pl

        self.dtype(demand_cells(self.name, cells, SCALARS))
        secret, first = demand_key(self.name, key), demand_first(self.name, rows.first)
        if self._values is None:
            raise refusal(self.name, "needs to see the whole column first")
        if not (cells.is_not_null().any()):
            return cells
        u = uniform(secret, "resample", first, len(cells))[:, 0]
        drawn = self._by_value(u) if self._law is None else self._by_law(u, cells.dtype)
        return pl.select(pl.when(cells.is_not_null()).then(drawn)).to_series().alias(cells.name)

    def _by_value(self, u: npt.NDArray[np.float64]) -> pl.Series:
        import numpy as np

        drawn: pl.Series = self._values.gather(
            np.searchsorted(self._totals, np.floor(u * self._totals[-1]), side="right")
        )
        return drawn

    def _by_law(self, u: npt.NDArray[np.float64], dtype: pl.DataType) -> pl.Series:
        import numpy as np
        import polars as pl

        low, high = self._range
        ends = self._law.cdf(low), self._law.cdf(high)
        # Drawn within the range at once: what is cut off afterwards would pile up at its ends.
        x = np.clip(self._law.quantile(ends[0] + u * (ends[1] - ends[0])), low, high)
        if dtype.is_float():
            return pl.Series(np.round(x, self._places)).cast(dtype)
        n = pl.Series(np.round(x * 10.0**self._places)).cast(pl.Int128)
        return decimals.like(n, self._places, dtype, self.point)
