"""Numbers and coordinates generalised on fixed grids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from piiscan.anonymity.hierarchies.builders.builder import demand_grid
from piiscan.masking.operators import decimals
from piiscan.masking.operators.coarse_numbers import Bins, TopBottom
from piiscan.masking.operators.decimals import Point

if TYPE_CHECKING:
    import polars as pl

AGES: Final = (5, 10, 20, 40)
YEARS: Final = (5, 10, 20, 100)
DEGREES: Final = (0.01, 0.1, 1, 10)
"""About 1, 11, 111 and 1,110 km from south to north."""
_STEPS: Final = ("0.1", "0.5", "1", "5", "10")
_PLACES: Final = 15
_PAIR: Final = r"^\s*\(?\s*([+-]?[0-9]{1,3}(?:\.[0-9]+)?)\s*[,;/ ]\s*([+-]?[0-9]{1,3}(?:\.[0-9]+)?)\s*\)?\s*$"


@dataclass(frozen=True)
class Intervals:
    """Intervals of one of the `widths` at each level, counted from 0.

    An example is `[20, 25)`, `[20, 30)`, and so on, as the operator `bins` writes it. `point` is the decimal separator
    of the column. With `top` or `bottom` there is an additional first level: numbers of `top` and more become `≥ 90`,
    for example, those below `bottom` another label, and both keep that label on the levels above.

    Guarantee:
        Assumes that widths and ends were chosen without looking at single values.
        Ensures that an interval's ends are on a public grid and reveal nothing about the values in it.
        Does not protect against an interval that contains only one person: the search has to prevent that.
        Test: test_hierarchy_build.py::test_intervals_hold_their_numbers
    """

    widths: tuple[float, ...]
    top: float | None = None
    bottom: float | None = None
    point: Point = "."

    kind: ClassVar[str] = "intervals"

    def __post_init__(self) -> None:
        demand_grid(self.kind, "widths", self.widths)
        if not (self.top is None and self.bottom is None):
            self._coding()  # it looks at the ends

    def _coding(self) -> TopBottom:
        return TopBottom(self.top, self.bottom, "text", self.point)

    def labels(self, values: pl.Series) -> list[pl.Series]:
        bins = [Bins(width, point=self.point).mask(values, None) for width in self.widths]
        if self.top is None and self.bottom is None:
            return bins
        coded = self._coding().mask(values, None)
        inner = (coded == values).fill_null(False)
        return [coded, *(b.zip_with(inner, coded) for b in bins)]


@dataclass(frozen=True)
class Coordinates:
    """A latitude, a longitude, or both in one cell ("52.23, 21.01"), generalised to intervals.

    At each level, each is an interval of one of the `widths` in degrees.

    Guarantee:
        Assumes decimal degrees.
        Ensures rectangles of a public grid.
        Does not protect against a rectangle in which few people live: one of 0.1 degrees may hold a city or a farm.
        Test: test_hierarchy_build.py::test_what_values_become
    """

    widths: tuple[float, ...] = DEGREES

    kind: ClassVar[str] = "coordinates"

    def __post_init__(self) -> None:
        demand_grid(self.kind, "widths", self.widths)

    def labels(self, values: pl.Series) -> list[pl.Series]:
        import polars as pl

        pair = pl.DataFrame({"x": values}).select(p=pl.col("x").str.extract_groups(_PAIR))["p"].struct
        first, second = pair.field("1"), pair.field("2")
        found = []
        for width in self.widths:
            bins = Bins(width)
            both = bins.mask(first, None) + " " + bins.mask(second, None)
            found.append(both.zip_with(first.is_not_null(), bins.mask(values, None)))
        return found


def grid(values: pl.Series, point: Point = ".") -> Sequence[float] | None:
    """Return widths for numbers of unknown meaning, or None if fewer than half of the values are numbers.

    They are 0.1, 0.5, 1, 5 and 10 times the power of ten of the median distinct value. Widths up to 1 are left out if
    half of the values are whole numbers.
    """
    numbers = decimals.finite(decimals.scaled(values, _PLACES, point)).drop_nulls()
    if 2 * len(numbers) < max(1, len(values)):
        return None
    sizes = sorted(n for n in map(abs, numbers.to_list()) if n)
    power = max(-13, min(16, len(str(sizes[len(sizes) // 2])) - 1 - _PLACES)) if sizes else 0
    whole = 2 * sum(n % 10**_PLACES == 0 for n in sizes) >= len(sizes)
    widths = [decimals.exact(float(step)).scaleb(power) for step in _STEPS]
    return [int(w) if w == int(w) else float(w) for w in widths if not (whole and w <= 1)]
