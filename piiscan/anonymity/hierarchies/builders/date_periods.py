"""Dates generalised to months, quarters, years and decades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from piiscan.core.errors import UsageError
from piiscan.masking.operators import date_text
from piiscan.masking.operators.date_generalise import DateGeneralise
from piiscan.masking.operators.preconditions import refusal

if TYPE_CHECKING:
    import polars as pl

Period = Literal["day", "month", "quarter", "year", "decade"]
PERIODS: Final[tuple[Period, ...]] = ("day", "month", "quarter", "year", "decade")


@dataclass(frozen=True)
class Dates:
    """Periods instead of dates and times, longer at each level: `2024-05`, `2024-Q2`, `2024`, `2020s`.

    They are written as `date-generalise` writes them.

    `format` is the form of the column's dates, in `strftime` codes; without it, the form that most values are
    written in. Weeks are not a level, since a week may span two months.

    Guarantee:
        Assumes that the column has one form of writing dates.
        Ensures that a label reveals only its period, and no time of day.
        Does not protect against several dates of one person that narrow each other down.
        Test: test_hierarchy_build.py::test_what_values_become
    """

    levels: tuple[Period, ...] = PERIODS[1:]
    format: str = ""

    kind: ClassVar[str] = "dates"

    def __post_init__(self) -> None:
        if not self.levels or list(self.levels) != [p for p in PERIODS if p in self.levels]:
            raise refusal(self.kind, f"'levels' must be some of {', '.join(PERIODS)}, in that order")
        if self.format:
            date_text.check_format(self.kind, self.format)

    def labels(self, values: pl.Series) -> list[pl.Series]:
        form = self.format or _form(values, self.levels)
        return [DateGeneralise(period, format=form).mask(values, None) for period in self.levels]


def read(values: pl.Series) -> Dates | None:
    """Return the builder for a column's dates, or None if fewer than half of the values are dates.

    It uses only years if nothing distinguishes days from months.
    """
    for levels in (PERIODS[1:], PERIODS[3:]):
        try:
            return Dates(levels, _form(values, levels))
        except UsageError:
            pass
    return None


def _form(values: pl.Series, levels: tuple[Period, ...]) -> str:
    import polars as pl

    counts = pl.DataFrame({"value": values}).with_columns(count=pl.lit(1))
    return date_text.recognise(Dates.kind, counts, order_matters=levels[0] not in ("year", "decade"))
