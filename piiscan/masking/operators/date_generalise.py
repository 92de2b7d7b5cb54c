"""Dates made coarser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Self

from piiscan.core.types import DType
from piiscan.masking.operators import date_text
from piiscan.masking.operators.operator import Contract, FittedOn, Operator
from piiscan.masking.operators.preconditions import DATES, demand, demand_cells, fitted, refusal

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey

Level = Literal["day", "week", "month", "quarter", "year", "decade"]
_EVERY: Final = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
_LABELS: Final = {"quarter": "[0-9]{2,4}-Q[1-4]", "year": "[0-9]{2,4}", "decade": "[0-9]{1,3}0s"}


@dataclass(frozen=True)
class DateGeneralise(Operator):
    """A date's day, week (its Monday), month, quarter, year or decade in its place.

    Typed columns keep their type and hold the first day of the period. Text gets a `style`: "short" for `2024-05`,
    `05/2024` in a column of `05/17/2024`, `2024-Q2`, `2024` and `2020s`; "first" for the first day, written as the
    column writes dates. The form is recognised on the whole column, or given as `format`; cells written otherwise
    become null. Years of two digits stay so. Dates before the year `earliest` count as its first day (bottom coding).

    Guarantee:
        Assumes that the column has one form of writing dates.
        Ensures that dates of one period can't be distinguished; no time of day is left.
        Does not protect against a period that one person alone falls into, nor against dates of one person that narrow
        each other down.
        Test: test_operators_dates.py::test_a_period_has_one_mask
    """

    level: Level
    style: Literal["short", "first"] = "short"
    format: str = ""
    earliest: int | None = None
    _form: str = field(default="", init=False, repr=False)

    name: ClassVar[str] = "date-generalise"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "coarser"
    fitted_on: ClassVar[FittedOn] = "counts"

    def __post_init__(self) -> None:
        if self.format:
            date_text.check_format(self.name, self.format)
        if self.earliest is not None and not 1 <= self.earliest <= 9999:
            raise refusal(self.name, "'earliest' must be a year from 1 to 9999")

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, DATES)
        return before

    def fit(self, counts: pl.DataFrame) -> Self:
        if self.format or demand_cells(self.name, counts["value"], DATES) != "string":
            return self
        return fitted(
            self, _form=date_text.recognise(self.name, _as_text(counts), self.level not in ("year", "decade"))
        )

    def needs_column(self, dtype: DType) -> bool:
        return dtype not in ("date", "datetime") and not self.format

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        if demand_cells(self.name, values, DATES) != "string":
            return self._typed(values)
        day = date_text.read(values, self._known)
        masked = self._text(self._first(day["date"]), day["day"])
        return masked.cast(pl.String).alias(values.name)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        if masks.dtype != pl.String or self.style == "first" or self.level in ("day", "week"):
            return (self.mask(masks, key) == masks).fill_null(False)
        month = date_text.pattern(date_text.without_day(self._known))
        return masks.str.contains(f"^(?:{_LABELS.get(self.level, month)})$")

    @property
    def _known(self) -> str:
        if not (self.format or self._form):
            raise refusal(self.name, "needs 'format', or to see the whole column first")
        form = self.format or self._form
        if self.earliest is not None and "%y" in form:
            raise refusal(self.name, "'earliest' has no meaning for years with two digits")
        return form

    def _first(self, dates: pl.Series) -> pl.Series:
        """The first day of each date's period."""
        import polars as pl

        x: pl.Expr = pl.col("x")
        if self.earliest is not None:
            x = pl.max_horizontal(x, pl.when(x.is_not_null()).then(pl.date(self.earliest, 1, 1)))
        if self.level == "decade":
            first: pl.Expr = pl.when(x.is_not_null()).then(pl.date(x.dt.year() - x.dt.year() % 10, 1, 1))
        else:
            first = x.dt.truncate(_EVERY[self.level])
        return pl.DataFrame({"x": dates}).select(first).to_series()

    def _text(self, first: pl.Series, was: pl.Series) -> pl.Series:
        import polars as pl

        form = self._known
        if self.style == "first" or self.level in ("day", "week"):
            return date_text.write(first, form, was)
        if self.level == "month":
            return date_text.write(first, date_text.without_day(form), was)
        year = date_text.write(first, "%y" if "%y" in form else "%Y")
        if self.level == "quarter":
            return year + "-Q" + first.dt.quarter().cast(pl.String)
        return year + "s" if self.level == "decade" else year

    def _typed(self, values: pl.Series) -> pl.Series:
        import polars as pl

        dtype = values.dtype
        if isinstance(dtype, pl.Datetime):
            first = self._first(values.dt.replace_time_zone(None).cast(pl.Date))
            moment = first.cast(pl.Datetime(dtype.time_unit), strict=False)  # null where the type has no room
            return localised(moment, dtype.time_zone).alias(values.name)
        return self._first(values).alias(values.name)


def localised(moments: pl.Series, zone: str | None) -> pl.Series:
    """Convert wall-clock times to a time zone.

    A time that the change to summer time skips moves an hour later; of one that occurs twice, the first is taken.
    """
    import polars as pl

    if zone is None:
        return moments
    x = pl.col("x")

    def there(wall: pl.Expr) -> pl.Expr:
        return wall.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")

    return pl.DataFrame({"x": moments}).select(there(x).fill_null(there(x.dt.offset_by("1h")))).to_series()


def _as_text(counts: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return counts.with_columns(pl.col("value").cast(pl.String))
