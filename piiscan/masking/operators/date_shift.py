"""Dates moved by as many days as their subject's offset says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, Self

from piiscan.core.types import DType
from piiscan.masking.crypto.hmac_sha256 import digests
from piiscan.masking.operators import date_text
from piiscan.masking.operators.date_generalise import localised
from piiscan.masking.operators.operator import Contract, FittedOn, Operator, RowContext
from piiscan.masking.operators.preconditions import DATES, demand, demand_cells, demand_key, fitted, refusal
from piiscan.masking.operators.row_random import stream_key

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey

DATES_DOMAIN: Final = "dates"
"""The key domain of all dates that move, so that those of one subject move together in every column."""
_WEEK: Final = 7
_PER_DAY: Final = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


@dataclass(frozen=True)
class DateShift(Operator):
    """Each subject's dates moved together, by 1 to `days` days forwards or backwards, drawn with the key.

    Keeps type, form of writing, time of day and time zone. Text is read as `date-generalise` reads it; what can't be
    read, or lands outside the years 1 to 9999 (text) or what the type holds, becomes null. `weekdays`: by whole weeks,
    so that a Monday stays one. Columns that are to move together need one subject, one key domain and the same
    parameters.

    Guarantee:
        Assumes that the subject key names one person, and that the key is secret.
        Ensures that no date stays, and that days between two dates of one subject under one key are kept exactly.
        Does not protect against who knows one true date of a subject, for whom it reveals the offset and so all
        others; nor against intervals that single somebody out, nor seasons, which show through where `days` is small,
        nor against a date left true elsewhere. `weekdays` leaves fewer offsets. It is derived from the person: HIPAA's
        Safe Harbor doesn't allow it.
        Test: test_operators_dates.py::test_a_subject_s_dates_move_together
    """

    days: int
    format: str = ""
    weekdays: bool = False
    _form: str = field(default="", init=False, repr=False)

    name: ClassVar[str] = "date-shift"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "moved"
    needs: ClassVar[frozenset[str]] = frozenset({"subjects"})
    fitted_on: ClassVar[FittedOn] = "counts"

    def __post_init__(self) -> None:
        if not 1 <= self.days <= 36_500:
            raise refusal(self.name, "'days' must be from 1 to 36500")
        if self.weekdays and self.days < 2 * _WEEK:
            raise refusal(self.name, f"'weekdays' needs 'days' of {2 * _WEEK} or more: it moves by whole weeks")
        if self.format:
            date_text.check_format(self.name, self.format)

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, DATES)
        return before

    def fit(self, counts: pl.DataFrame) -> Self:
        import polars as pl

        if self.format or demand_cells(self.name, counts["value"], DATES) != "string":
            return self
        texts = counts.with_columns(pl.col("value").cast(pl.String))
        return fitted(self, _form=date_text.recognise(self.name, texts, order_matters=True))

    def needs_column(self, dtype: DType) -> bool:
        return dtype not in ("date", "datetime") and not self.format

    def stays(self, counts: pl.DataFrame) -> float:
        """The share of cells expected to keep their value by chance: none, for no offset is 0."""
        return 0.0

    def mask_rows(self, cells: pl.Series, rows: RowContext, key: Subkey | None) -> pl.Series:
        import polars as pl

        kind = demand_cells(self.name, cells, DATES)
        if rows.subjects is None:
            raise refusal(self.name, "needs to know the person each row is about; name a subject key in the plan")
        offsets = self.offsets(rows.subjects, demand_key(self.name, key))
        if kind != "string":
            return _moved(cells, offsets).alias(cells.name)
        if not (form := self.form):
            raise refusal(self.name, "needs 'format', or to see the whole column first")
        read = date_text.read(cells, form)
        day = date_text.write(_moved(read["date"], offsets), form, read["day"])
        return (day + read["rest"]).cast(pl.String).alias(cells.name)

    @property
    def form(self) -> str:
        """How texts write their dates; "" where that isn't known yet."""
        return self.format or self._form

    def offsets(self, subjects: pl.Series, key: Subkey) -> pl.Series:
        """By how many days (Int64) the dates of each subject move; null for "", which is no person.

        HMAC-SHA256 of the subject, mapped to as many values forwards as backwards. It uses 64 bits, so the bias is
        negligible.
        """
        import numpy as np
        import polars as pl

        secret = stream_key(key, "date shift")
        step = _WEEK if self.weekdays else 1
        most = self.days // step
        distinct = subjects if subjects.n_unique() == len(subjects) else subjects.unique()
        bits = b"".join([digest[:8] for digest in digests(secret, distinct.to_list())])
        draws = (np.frombuffer(bits, dtype=">u8") % np.uint64(2 * most)).astype(np.int64) - most
        days = pl.Series(step * np.where(draws < 0, draws, draws + 1), dtype=pl.Int64)
        drawn = days.set(distinct == "", None)
        if distinct is subjects:
            return drawn
        return subjects.replace_strict(distinct, drawn, return_dtype=pl.Int64).cast(
            pl.Int64
        )  # nothing to replace keeps its type


def _moved(cells: pl.Series, offsets: pl.Series) -> pl.Series:
    """Dates or moments so many days later by the wall clock; null where the type has no room."""
    import polars as pl

    dtype = cells.dtype
    days = pl.DataFrame({"x": cells, "d": offsets})
    if not isinstance(dtype, pl.Datetime):
        return days.select(
            (pl.col("x").to_physical().cast(pl.Int64) + pl.col("d")).cast(pl.Int32, strict=False).cast(pl.Date)
        ).to_series()
    wall = pl.col("x").dt.replace_time_zone(None).to_physical().cast(pl.Int128)
    later = (wall + pl.col("d").cast(pl.Int128) * pl.lit(_PER_DAY[dtype.time_unit], dtype=pl.Int128)).cast(
        pl.Int64, strict=False
    )
    return localised(days.select(later.cast(pl.Datetime(dtype.time_unit))).to_series(), dtype.time_zone)
