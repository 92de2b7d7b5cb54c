"""Numbers made coarser: bins, rounding, top and bottom coding, above or below a cut.

Bounds are the plan's, never the data's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from piiscan.core.types import DType
from piiscan.masking.operators import decimals
from piiscan.masking.operators.decimals import Point
from piiscan.masking.operators.operator import Contract, Operator
from piiscan.masking.operators.preconditions import NUMBERS, demand, demand_cells, refusal

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey


@dataclass(frozen=True)
class Bins(Operator):
    """Intervals in place of numbers: of one `width`, counted from `origin`, or between given `cuts`, open at both ends.

    `label` "interval" gives text such as `[20, 25)` (which no spreadsheet takes for a date), `< 18` and `≥ 65`; "lower"
    gives the lower end in the column's own type, for bins of one width. What isn't a number becomes null, infinity too
    where bins have a width.

    Guarantee:
        Assumes that width and cuts were chosen without looking at single values; see `histogram`.
        Ensures that every number is replaced by the one bin that holds it, so those of one bin can't be distinguished.
        Does not protect against a bin that holds one person only, nor against what a bin says of everybody in it.
        Test: test_operators_numbers.py::test_every_number_lies_in_its_bin
    """

    width: float | None = None
    origin: float = 0
    cuts: tuple[float, ...] = ()
    label: Literal["interval", "lower"] = "interval"
    point: Point = "."

    name: ClassVar[str] = "bins"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "coarser"

    def __post_init__(self) -> None:
        _bounded(self.name, width=self.width, origin=self.origin, cuts=self.cuts)
        if (self.width is None) == (not self.cuts):
            raise refusal(self.name, "needs 'width' or 'cuts', and not both")
        if self.width is not None and self.width <= 0:
            raise refusal(self.name, "'width' must be above 0")
        if any(a >= b for a, b in pairwise(self.cuts)):
            raise refusal(self.name, "'cuts' must ascend")
        if self.cuts and (self.origin or self.label == "lower"):
            raise refusal(self.name, "'origin' and the label 'lower' belong to bins of one 'width'")

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, NUMBERS)
        if before == "integer" and self.label == "lower" and self._places:
            raise refusal(
                self.name, "'width' and 'origin' must be whole for a column of whole numbers; or label them 'interval'"
            )
        return "string" if self.label == "interval" else before

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels between given cuts, from the lowest."""
        ends = [decimals.spelled(c) for c in self.cuts]
        return (f"< {ends[0]}", *(f"[{a}, {b})" for a, b in pairwise(ends)), f"≥ {ends[-1]}")

    @property
    def _places(self) -> int:
        return decimals.places_of(self.width or 0, self.origin)

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        self.dtype(demand_cells(self.name, values, NUMBERS))
        if self.cuts:
            return self._between(values).alias(values.name)
        lower = self._lower(decimals.finite(decimals.scaled(values, self._places, self.point)))
        if self.label == "lower":
            return decimals.like(lower, self._places, values.dtype, self.point).alias(values.name)
        return self._interval(lower).alias(values.name)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        if self.cuts:
            return masks.is_in(list(self.labels))
        if self.label == "interval":
            lower = decimals.scaled(masks.str.extract(r"^\[([0-9.-]+), "), self._places)
            return (self._interval(self._lower(lower)) == masks).fill_null(False)
        given = decimals.scaled(masks, self._places, self.point)
        return (self._lower(given) == given).fill_null(False) & (self.mask(masks, key) == masks).fill_null(False)

    def _between(self, values: pl.Series) -> pl.Series:
        import polars as pl

        places = decimals.places_of(*self.cuts)
        n = pl.col("n")
        passed = pl.sum_horizontal(
            (n >= pl.lit(decimals.units(c, places), dtype=pl.Int128)).cast(pl.UInt32) for c in self.cuts
        )
        frame = pl.DataFrame({"n": decimals.scaled(values, places, self.point)}).select(
            i=pl.when(n.is_not_null()).then(passed)
        )
        return frame["i"].replace_strict(dict(enumerate(self.labels)), default=None, return_dtype=pl.String)

    def _lower(self, n: pl.Series) -> pl.Series:
        import polars as pl

        width, origin = (
            pl.lit(decimals.units(x, self._places), dtype=pl.Int128) for x in (self.width or 1, self.origin)
        )
        return pl.DataFrame({"n": n}).select((pl.col("n") - origin) // width * width + origin).to_series()

    def _interval(self, lower: pl.Series) -> pl.Series:
        import polars as pl

        width = pl.lit(decimals.units(self.width or 1, self._places), dtype=pl.Int128)
        upper = pl.DataFrame({"n": lower}).select(pl.col("n") + width).to_series()
        ends = pl.DataFrame({"a": decimals.texts(lower, self._places), "b": decimals.texts(upper, self._places)})
        return ends.select(pl.lit("[") + pl.col("a") + ", " + pl.col("b") + ")").to_series()


@dataclass(frozen=True)
class Round(Operator):
    """The nearest multiple of `base`, halves upwards, in the column's own type; text gets the decimals of the base.

    Guarantee:
        Assumes nothing.
        Ensures multiples of the base, half a base away at most; null for what isn't a number and what the type has no
        room for.
        Does not protect against a multiple that one person alone comes near to: the largest income stays the largest.
        Test: test_operators_numbers.py::test_round_goes_to_the_nearest_multiple
    """

    base: float
    point: Point = "."

    name: ClassVar[str] = "round"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "coarser"

    def __post_init__(self) -> None:
        _bounded(self.name, base=self.base)
        if self.base <= 0:
            raise refusal(self.name, "'base' must be above 0")

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, NUMBERS)
        if before == "integer" and (decimals.places_of(self.base) or self.base == 1):
            raise refusal(self.name, "'base' must be a whole number above 1 for a column of whole numbers")
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        self.dtype(demand_cells(self.name, values, NUMBERS))
        places = decimals.places_of(self.base)
        base = decimals.units(self.base, places)
        # One decimal more, so that half a base is whole.
        n = decimals.finite(decimals.scaled(values, places + 1, self.point))
        multiple = (pl.col("n") + pl.lit(5 * base, dtype=pl.Int128)) // pl.lit(10 * base, dtype=pl.Int128)
        rounded = pl.DataFrame({"n": n}).select(multiple * pl.lit(base, dtype=pl.Int128)).to_series()
        return decimals.like(rounded, places, values.dtype, self.point).alias(values.name)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        return (self.mask(masks, key) == masks).fill_null(False)


@dataclass(frozen=True)
class TopBottom(Operator):
    """Top and bottom coding: numbers from `top` on become one value, numbers below `bottom` another.

    All other numbers stay as they are.

    `form` "clamp" gives the bound itself in the column's type; "text" gives `≥ 90` and `< 18` in a column of text.
    HIPAA's Safe Harbor asks for ages over 89 as one category of 90 or older (45 CFR 164.514(b)(2)(i)(C)): `top = 90`.

    Guarantee:
        Assumes that the bounds were chosen without looking at single values; see `histogram`.
        Ensures that no number at or above `top`, and none below `bottom`, can be distinguished from another; null for
        what isn't a number.
        Does not protect against the numbers in between, which stay.
        Test: test_operators_numbers.py::test_extremes_are_one
    """

    top: float | None = None
    bottom: float | None = None
    form: Literal["clamp", "text"] = "clamp"
    point: Point = "."

    name: ClassVar[str] = "top-bottom"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "coarser"

    def __post_init__(self) -> None:
        _bounded(self.name, top=self.top, bottom=self.bottom)
        if self.top is None and self.bottom is None:
            raise refusal(self.name, "needs 'top', 'bottom' or both")
        if self.top is not None and self.bottom is not None and self.bottom >= self.top:
            raise refusal(self.name, "'bottom' must be below 'top'")

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, NUMBERS)
        if before == "integer" and self.form == "clamp" and decimals.places_of(*self._bounds):
            raise refusal(self.name, "the bounds must be whole for a column of whole numbers; or use the form 'text'")
        return "string" if self.form == "text" else before

    @property
    def _bounds(self) -> tuple[float, ...]:
        return tuple(b for b in (self.bottom, self.top) if b is not None)

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        self.dtype(demand_cells(self.name, values, NUMBERS))
        places = decimals.places_of(*self._bounds)
        out = pl.String() if self.form == "text" or values.dtype == pl.Null else values.dtype
        n, x = pl.col("n"), pl.col("x")
        coded: Any = pl.when(n.is_null()).then(pl.lit(None, dtype=out))
        for bound, sign, beyond in ((self.top, "≥", n.__ge__), (self.bottom, "<", n.__lt__)):
            if bound is not None:
                coded = coded.when(beyond(pl.lit(decimals.units(bound, places), dtype=pl.Int128))).then(
                    self._code(bound, sign, out)
                )
        if values.dtype.is_float():
            x = pl.when(x == 0).then(0).otherwise(x)  # -0.0 equals 0.0, so that either may stand for both
        frame = pl.DataFrame({"n": decimals.scaled(values, places, self.point), "x": values})
        return frame.select(coded.otherwise(x.cast(out)).alias(values.name)).to_series()

    def _code(self, bound: float, sign: str, out: pl.DataType) -> pl.Expr:
        import polars as pl

        if self.form == "text":
            return pl.lit(f"{sign} {decimals.spelled(bound)}")
        if isinstance(out, pl.String):
            return pl.lit(decimals.spelled(bound).replace(".", self.point))
        return pl.lit(int(bound) if out.is_integer() else bound).cast(out, strict=False)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        codes = [f"{sign} {decimals.spelled(b)}" for sign, b in (("≥", self.top), ("<", self.bottom)) if b is not None]
        coded = masks.is_in(codes) if self.form == "text" else pl.repeat(False, len(masks), eager=True)
        point: Point = self.point if masks.dtype == pl.String else "."
        n = decimals.scaled(masks, places := decimals.places_of(*self._bounds), point)
        for bound, within in ((self.top, n.__le__ if self.form == "clamp" else n.__lt__), (self.bottom, n.__ge__)):
            if bound is not None:
                n = n.set(~within(pl.Series([decimals.units(bound, places)], dtype=pl.Int128)), None)
        return coded | n.is_not_null()


@dataclass(frozen=True)
class Above(Operator):
    """Whether a number is `cut` or more: true or false.

    Guarantee:
        Assumes that the cut is a public one. The mean of the column is not: it moves with every person in it.
        Ensures that nothing but the side of the cut is left; null for what isn't a number.
        Does not protect against the side itself, nor against cuts of several releases that close in on a person.
        Test: test_operators_numbers.py::test_above_reveals_the_side_only
    """

    cut: float
    point: Point = "."

    name: ClassVar[str] = "above"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "coarser"

    def __post_init__(self) -> None:
        _bounded(self.name, cut=self.cut)

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, NUMBERS)
        return "boolean"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        demand_cells(self.name, values, NUMBERS)
        places = decimals.places_of(self.cut)
        n = decimals.scaled(values, places, self.point)
        return (n >= pl.Series([decimals.units(self.cut, places)], dtype=pl.Int128)).alias(values.name)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        return masks.is_not_null()


def _bounded(operator: str, **parameters: float | tuple[float, ...] | None) -> None:
    """Raises `UsageError` for a parameter that isn't finite, or has more digits than are counted with."""
    for name, value in parameters.items():
        for number in value if isinstance(value, tuple) else (value,):
            if number is not None and not (
                math.isfinite(number) and abs(number) < 1e18 and decimals.places_of(number) <= 15
            ):
                raise refusal(operator, f"{name!r} must be within 10^18, with at most 15 decimals")
