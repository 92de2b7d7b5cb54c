"""Rows left out of a table: by a condition on one column, or because cells are missing.

A row filter isn't an operator, for it changes how many rows there are. The plan's executor judges each row by its
original cells and leaves rows out after masking, so that rows keep the numbers they had in the input; what is fitted to
a column shouldn't see the rows that go.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, get_args

from piiscan.core.errors import UsageError
from piiscan.masking.operators import decimals
from piiscan.masking.operators.preconditions import kind
from piiscan.rules.definitions import suggestion

if TYPE_CHECKING:
    import polars as pl

Op = Literal["=", "!=", "<", "<=", ">", ">=", "in", "missing"]
Value = str | int | float | bool | dt.date | tuple[str | int | float | bool | dt.date, ...] | None
_OPS: Final = get_args(Op)
_ORDER: Final = ("<", "<=", ">", ">=")
_PLACES: Final = 15


class RowFilter(Protocol):
    """Which rows of a batch go. Each row is judged by itself, so any partitioning leaves the same ones."""

    name: ClassVar[str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it looks at."""
        ...

    def suppressed(self, frame: pl.DataFrame) -> pl.Series:
        """True for the rows that go (Boolean, no nulls). `frame` has the columns by their names."""
        ...


@dataclass(frozen=True)
class Where:
    """Rows whose cell meets a condition: `column = "age"`, `op = "<"`, `value = 30`.

    Numbers are compared with numbers, also where cells are text, by 15 decimals; dates (TOML's) with dates and with
    text in ISO form; text only by =, != and in, as it is written. A time with an offset is compared with columns that
    have a time zone only. `missing` takes no value and means null, blank text and NaN. Where <, <=, > and >= meet a
    cell that can't be compared, `unknown` decides: the row goes ("suppress") or stays ("keep").

    Guarantee:
        Assumes that the condition, which is public with the plan, says nothing of a single person.
        Ensures that no row is left for which it holds, nor, by default, one for which it can't be told.
        Does not protect the rows that stay; that somebody is missing may itself be told from other tables.
        Test: test_operators_rows.py::test_no_row_is_left_for_which_the_condition_holds
    """

    column: str
    op: Op
    value: Value = None
    unknown: Literal["suppress", "keep"] = "suppress"
    point: decimals.Point = "."

    name: ClassVar[str] = "where"

    def __post_init__(self) -> None:
        if self.op not in _OPS:
            raise self._refused(f"'op' must be one of {' '.join(_OPS)}")
        if self.unknown not in ("suppress", "keep"):
            raise self._refused("'unknown' must be one of suppress, keep")
        if self.op == "missing":
            if self.value is not None:
                raise self._refused("'missing' takes no value")
        elif self.op == "in":
            if not isinstance(self.value, tuple) or not self.value:
                raise self._refused("'in' needs a list of values")
        elif self.value is None or isinstance(self.value, tuple):
            raise self._refused(f"{self.op!r} needs one value")
        elif self.op in _ORDER and isinstance(self.value, str | bool):
            raise self._refused(f"{self.op!r} compares numbers and dates; text only with =, != and in")
        numbers = [v for v in self._wanted if isinstance(v, int | float) and not isinstance(v, bool)]
        if not all(math.isfinite(v) and abs(v) < 1e18 and decimals.places_of(v) <= _PLACES for v in numbers):
            raise self._refused(f"numbers must be within 10^18, with at most {_PLACES} decimals")

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def suppressed(self, frame: pl.DataFrame) -> pl.Series:
        cells = _column(frame, self.column)
        if self.op == "missing":
            return missing(cells)
        if self.op in _ORDER:
            return self._compared(cells, self.op, self._wanted[0]).fill_null(self.unknown == "suppress")
        held = self._compared(cells, "=", self._wanted[0])
        for value in self._wanted[1:]:
            held = held.fill_null(False) | self._compared(cells, "=", value).fill_null(False)
        return ~held.fill_null(False) if self.op == "!=" else held.fill_null(False)

    @property
    def _wanted(self) -> tuple[Any, ...]:
        return self.value if isinstance(self.value, tuple) else (self.value,)

    def _compared(self, cells: pl.Series, op: str, value: Any) -> pl.Series:
        """Whether each cell is so; null where they can't be compared."""
        import polars as pl

        found, other = self._sides(cells, value)
        c = pl.col("c")
        compared = {"=": c == other, "<": c < other, "<=": c <= other, ">": c > other, ">=": c >= other}[op]
        return pl.DataFrame({"c": found}).select(compared).to_series()

    def _sides(self, cells: pl.Series, value: Any) -> tuple[pl.Series, pl.Expr]:
        import polars as pl

        of = kind(cells.dtype)
        if isinstance(value, bool):
            if of in ("boolean", "string"):
                truth = cells.cast(pl.String).str.strip_chars().str.to_lowercase()
                return truth, pl.lit(str(value).lower())
        elif isinstance(value, int | float):
            if of in ("integer", "float", "string"):
                return self._numbers(cells, value)
        elif isinstance(value, dt.date):  # a datetime too
            aware = isinstance(value, dt.datetime) and value.tzinfo is not None
            moments = _moments(cells, in_utc=aware) if of in ("date", "datetime", "string") else None
            if moments is not None:
                wall = value if isinstance(value, dt.datetime) else dt.datetime.combine(value, dt.time())
                wall = wall.astimezone(dt.UTC).replace(tzinfo=None) if aware else wall
                return moments, pl.lit(wall, dtype=pl.Datetime("us"))
        elif of == "string":
            return cells, pl.lit(value)
        raise self._refused(f"a value of type {type(value).__name__} can't be compared with a column of type {of}")

    def _numbers(self, cells: pl.Series, value: float) -> tuple[pl.Series, pl.Expr]:
        import polars as pl

        return decimals.scaled(cells, _PLACES, self.point), pl.lit(decimals.units(value, _PLACES), dtype=pl.Int128)

    def _refused(self, why: str) -> UsageError:
        return UsageError(f"suppressing rows by column {self.column!r}: {why}")


@dataclass(frozen=True)
class Missing:
    """Rows in which any of these columns (all, where none is named) is missing: null, blank text or NaN.

    Guarantee:
        Assumes nothing.
        Ensures that no row is left with a missing cell in these columns.
        Does not protect anybody: complete rows are as identifying as before, and rows may be missing for a reason.
        Test: test_operators_rows.py::test_no_row_is_left_with_a_missing_cell
    """

    columns: tuple[str, ...] = ()

    name: ClassVar[str] = "missing"

    def suppressed(self, frame: pl.DataFrame) -> pl.Series:
        import polars as pl

        gone = pl.repeat(False, frame.height, dtype=pl.Boolean, eager=True)
        for column in self.columns or frame.columns:
            gone = gone | missing(_column(frame, column))
        return gone


def row_filter(params: Mapping[str, Any]) -> RowFilter:
    """Make the row filter that a plan spells.

    `column`, `op` and `value`, or `missing`, a list of columns (empty: all of them).

    Raises `UsageError` for what is unknown, missing or of the wrong type.
    """
    if "missing" in params:
        columns = params["missing"]
        if len(params) > 1 or not isinstance(columns, list | tuple) or not all(isinstance(c, str) for c in columns):
            raise UsageError("suppressing rows: 'missing' must be a list of columns, and stand alone")
        return Missing(tuple(columns))
    known = ("column", "op", "value", "unknown", "point")
    for key in params:
        if key not in known:
            raise UsageError(f"suppressing rows: there is no parameter {key!r}{suggestion(key, (*known, 'missing'))}")
    if not isinstance(params.get("column"), str) or not isinstance(params.get("op"), str):
        raise UsageError("suppressing rows: needs 'column' and 'op', both text; or 'missing'")
    value = params.get("value")
    held = tuple(value) if isinstance(value, list | tuple) else value
    if not all(
        v is None or isinstance(v, str | int | float | dt.date) for v in (held if isinstance(held, tuple) else (held,))
    ):
        raise UsageError(
            f"suppressing rows by column {params['column']!r}: 'value' must be "
            "text, a number, true, false, a date, or a list"
        )
    return Where(**{**params, "value": held})


def missing(cells: pl.Series) -> pl.Series:
    """Whether each cell is null, blank text or NaN (Boolean, no nulls)."""
    import polars as pl

    gone = cells.is_null()
    if cells.dtype == pl.String:
        return gone | (cells.str.strip_chars() == "").fill_null(False)
    return gone | cells.is_nan().fill_null(False) if cells.dtype.is_float() else gone


def _column(frame: pl.DataFrame, name: str) -> pl.Series:
    if name not in frame.columns:
        raise UsageError(f"suppressing rows: there is no column {name!r}{suggestion(name, frame.columns)}")
    return frame[name]


def _moments(cells: pl.Series, in_utc: bool) -> pl.Series | None:
    """Dates, moments and ISO text as moments by the wall clock, or in UTC; null for other text.

    UTC is used if they have a time zone, else None is returned where `in_utc` asks for it.
    """
    import polars as pl

    aware = isinstance(cells.dtype, pl.Datetime) and cells.dtype.time_zone is not None
    if in_utc and not aware:
        return None
    if aware:
        return (
            (cells.dt.convert_time_zone("UTC") if in_utc else cells)
            .dt.replace_time_zone(None)
            .cast(pl.Datetime("us"), strict=False)
        )
    if cells.dtype != pl.String:
        return cells.cast(pl.Datetime("us"), strict=False)
    x = pl.col("x")
    read = x.str.extract(r"^\s*([0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?)").str.replace(
        "T", " "
    )
    whole = read + pl.lit(" 00:00:00").str.slice(read.str.len_chars().cast(pl.Int64) - 10)
    return (
        pl.DataFrame({"x": cells})
        .select(whole.str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False, time_unit="us"))
        .to_series()
    )
