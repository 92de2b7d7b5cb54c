"""Numbers with noise added."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Self

from piiscan.core.types import DType
from piiscan.masking.operators import decimals as exactly
from piiscan.masking.operators.decimals import Point
from piiscan.masking.operators.operator import Contract, FittedOn, Operator, RowContext
from piiscan.masking.operators.preconditions import (
    NUMBERS,
    demand,
    demand_cells,
    demand_first,
    demand_key,
    fitted,
    refusal,
)
from piiscan.masking.operators.row_random import uniform

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from piiscan.core.keys import Subkey

_STEP: Final = 2.0**-20


@dataclass(frozen=True)
class Noise(Operator):
    """Each number with noise of its row: Laplace's with this `scale`, or Gauss's with this standard deviation.

    Rounded to `decimals`, by default the most that the column has; held within `low` and `high`, and within what the
    type holds. What isn't a finite number becomes null. The mean stays the same on average, the variance grows by
    2·scale² (Laplace) or scale².

    Guarantee:
        Assumes that the key is secret and belongs to this column of this table only.
        Ensures noise that is independent from row to row, and the same for a row in every partitioning and run under
        one key.
        Does not protect as differential privacy does, and is NOT differentially private: single rows are released,
        bounds may come from the data, and the mean of several rows of one person, or of releases under several keys,
        comes ever closer to the truth.
        Test: test_operators_random.py::test_noise_has_its_scale
    """

    scale: float
    law: Literal["laplace", "gaussian"] = "laplace"
    low: float | None = None
    high: float | None = None
    decimals: int | None = None
    point: Point = "."
    _found: int | None = field(default=None, init=False, repr=False)

    name: ClassVar[str] = "noise"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "moved"
    needs: ClassVar[frozenset[str]] = frozenset({"first"})
    fitted_on: ClassVar[FittedOn] = "counts"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.scale) and 0 < self.scale < 1e15):
            raise refusal(self.name, "'scale' must be above 0 and below 10^15")
        if self.decimals is not None and not 0 <= self.decimals <= 15:
            raise refusal(self.name, "'decimals' must be from 0 to 15")
        if any(b is not None and not (math.isfinite(b) and abs(b) < 1e18) for b in (self.low, self.high)):
            raise refusal(self.name, "'low' and 'high' must be within 10^18")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise refusal(self.name, "'low' must be below 'high'")

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, NUMBERS)
        return before

    def fit(self, counts: pl.DataFrame) -> Self:
        demand_cells(self.name, counts["value"], NUMBERS)
        return fitted(self, _found=exactly.decimals(counts["value"], self.point))

    def stays(self, counts: pl.DataFrame) -> float:
        """The share of cells expected to keep their value by chance.

        Noise that rounds to 0, and cells held at a bound.
        """
        import polars as pl

        half = 10.0 ** -self._places(counts["value"]) / 2
        by_noise = (
            -math.expm1(-half / self.scale) if self.law == "laplace" else math.erf(half / self.scale / math.sqrt(2))
        )
        x = pl.DataFrame(
            {"x": exactly.scaled(counts["value"], 0, self.point).cast(pl.Float64), "n": counts["count"].cast(pl.Int64)}
        )
        low, high = (-math.inf if self.low is None else self.low), (math.inf if self.high is None else self.high)
        at_bound = x.filter((pl.col("x") <= low) | (pl.col("x") + 1 > high))["n"].sum()
        return min(1.0, by_noise + float(at_bound) / max(1.0, float(x["n"].sum())) / 2)

    def mask_rows(self, cells: pl.Series, rows: RowContext, key: Subkey | None) -> pl.Series:
        import polars as pl

        demand_cells(self.name, cells, NUMBERS)
        places = self._places(cells)
        drawn = self.draws(demand_key(self.name, key), demand_first(self.name, rows.first), len(cells))
        if cells.dtype.is_float():
            x = pl.DataFrame({"x": cells.cast(pl.Float64), "e": drawn}).select(
                pl.when(pl.col("x").is_finite()).then(pl.col("x") + pl.col("e"))
            )
            return x.to_series().clip(self.low, self.high).round(places).cast(cells.dtype).alias(cells.name)
        steps = pl.Series(drawn * 10.0**places).round().cast(pl.Int128)
        n = exactly.finite(exactly.scaled(cells, places, self.point))
        low, high = _room(cells.dtype, self.low, self.high, places)
        noisy = pl.DataFrame({"n": n, "e": steps}).select((pl.col("n") + pl.col("e")).clip(low, high)).to_series()
        return exactly.like(noisy, places, cells.dtype, self.point).alias(cells.name)

    def draws(self, key: Subkey, first: int, rows: int) -> npt.NDArray[np.float64]:
        """The noise of these rows, in steps of a millionth of the scale.

        Rounding is needed since the last bits of a logarithm depend on the machine.
        """
        import numpy as np

        u = uniform(key, f"noise {self.law}", first, rows)
        if self.law == "laplace":
            middle = u[:, 0] - 0.5
            unit = -np.sign(middle) * np.log1p(-2 * np.abs(middle))
        else:
            unit = np.sqrt(-2 * np.log(u[:, 0])) * np.cos(2 * np.pi * u[:, 1])
        steps: npt.NDArray[np.float64] = np.round(unit / _STEP) * (_STEP * self.scale)
        return steps

    def _places(self, cells: pl.Series) -> int:
        if cells.dtype.is_integer():
            return 0
        if self.decimals is None and self._found is None:
            raise refusal(self.name, "needs 'decimals', or to see the whole column first")
        return self.decimals if self.decimals is not None else self._found or 0


def _room(dtype: pl.DataType, low: float | None, high: float | None, places: int) -> tuple[int, int]:
    """What a scaled number may be: within the bounds, and within what the type holds."""
    import polars as pl

    least, most = -exactly.BEYOND, exactly.BEYOND
    if isinstance(dtype, pl.datatypes.IntegerType) and dtype != pl.Int128:
        least, most = pl.select(dtype.min()).item(), pl.select(dtype.max()).item()
    if low is not None:
        least = max(least, math.ceil(exactly.exact(low).scaleb(places)))
    if high is not None:
        most = min(most, math.floor(exactly.exact(high).scaleb(places)))
    return least, most
