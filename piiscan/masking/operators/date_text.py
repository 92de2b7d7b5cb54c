"""Dates written as text: which form a column writes them in, reading them, and writing them that way again."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from piiscan.masking.operators.preconditions import refusal

if TYPE_CHECKING:
    import polars as pl

_PARTS: Final = {
    "%Y": "[0-9]{4}", "%y": "[0-9]{2}", "%m": "[0-9]{2}", "%d": "[0-9]{2}", "%-m": "[0-9]{1,2}", "%-d": "[0-9]{1,2}",
    "%b": "[A-Za-z]{3}", "%B": "[A-Za-z]{3,9}",
}  # fmt: skip
_TIME: Final = (
    r"[T ]+[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?: ?[AaPp]\.?[Mm]\.?)?(?: "
    r"?(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?"
)
_PADDED: Final = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%m/%d/%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d-%b-%Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%d-%m-%y",
    "%m/%d/%y",
    "%m-%d-%y",
    "%d-%b-%y",
)
FORMATS: Final = (
    *_PADDED[:3], "%Y%m%d", *_PADDED[3:], *(f.replace("%d", "%-d").replace("%m", "%-m") for f in _PADDED),
)  # fmt: skip
"""The forms that are recognised, in the signs of `strftime`; `%-d` is a day without a leading zero. A time of day
may follow."""
_SAMPLE: Final = 50_000
_MIXED: Final = 0.01


def check_format(operator: str, form: str) -> None:
    """Raises `UsageError` for a form that isn't made of a year, a month, a day and separators."""
    signs = sorted(re.findall("%-?.?", form))
    kinds = sorted(s[-1].lower().replace("b", "m") for s in signs)
    if any(s not in _PARTS for s in signs) or kinds != ["d", "m", "y"]:
        raise refusal(operator, f"'format' needs a year, a month and a day, written with {' '.join(_PARTS)}")


def read(cells: pl.Series, form: str) -> pl.DataFrame:
    """Read dates: columns `date` (Date), `day` (its text) and `rest` (the time of day as written).

    `date` is null for what is written in another form, or is no day.
    """
    import polars as pl

    found = pl.col("x").str.extract_groups(_pattern(form))
    frame = pl.DataFrame({"x": cells.cast(pl.String)}).select(day=found.struct[0], rest=found.struct[1].fill_null(""))
    return frame.with_columns(date=pl.col("day").str.to_date(form.replace("%-", "%"), strict=False))


def write(dates: pl.Series, form: str, was: pl.Series | None = None) -> pl.Series:
    """Dates as text (String); null for years outside 1 to 9999, which have no four digits.

    Names of months in the case of `was`.
    """
    import polars as pl

    x, old = pl.col("x"), pl.col("was")
    text: pl.Expr = pl.when(x.dt.year().is_between(1, 9999)).then(x.dt.strftime(form))
    if "%b" in form.lower() and was is not None:
        text = (
            pl.when(old == old.str.to_uppercase())
            .then(text.str.to_uppercase())
            .when(old == old.str.to_lowercase())
            .then(text.str.to_lowercase())
            .otherwise(text)
        )
    return pl.DataFrame({"x": dates, "was": dates.cast(pl.String) if was is None else was}).select(text).to_series()


def without_day(form: str) -> str:
    """The same form for a month: `%m/%d/%Y` becomes `%m/%Y`."""
    return re.sub(r"[^%a-zA-Z]*%-?d$", "", form) if re.search(r"%-?d$", form) else re.sub(r"%-?d[^%a-zA-Z]*", "", form)


def pattern(form: str) -> str:
    """The regular expression of a form, without anchors."""
    return re.sub(r"%-?[a-zA-Z]", lambda m: _PARTS[m[0]], re.escape(form).replace(r"\-", "-"))


def recognise(operator: str, counts: pl.DataFrame, order_matters: bool) -> str:
    """The form that most cells of a column are written in (`counts` as `Operator.fit` gets it).

    Raises `UsageError` where fewer than half of the cells are dates, and, where the order of day and month matters,
    where both orders read the column as well, or each reads cells that the other can't.
    """
    import polars as pl

    days = _days(counts)
    total = int(days["count"].sum())
    if not total:
        return FORMATS[0]
    readings = {form: read(days["value"], form)["date"] for form in FORMATS}
    weights = {form: int(days["count"].filter(dates.is_not_null()).sum()) for form, dates in readings.items()}
    best = max(FORMATS, key=lambda form: weights[form])
    if 2 * weights[best] < total:
        raise refusal(operator, "fewer than half of the cells are dates in a known format; declare it with 'format'")
    rival = _swapped(best)
    if order_matters and rival in readings:
        pair = pl.DataFrame({"a": readings[best], "b": readings[rival], "n": days["count"]})
        only_rival = int(pair.filter(pl.col("a").is_null() & pl.col("b").is_not_null())["n"].sum())
        differ = len(pair.filter(pl.col("a") != pl.col("b")))
        if differ and (weights[rival] == weights[best] or only_rival > _MIXED * weights[best]):
            raise refusal(operator, f"the dates can be read as {best} and as {rival}; choose one with 'format'")
    return best


def _days(counts: pl.DataFrame) -> pl.DataFrame:
    """The same without times of day; of very many, an evenly spread sample."""
    import polars as pl

    value = pl.col("value").str.replace(_TIME + r"\s*$", "").str.strip_chars()
    days = (
        counts.select(value, pl.col("count").cast(pl.UInt64)).group_by("value").agg(pl.col("count").sum()).sort("value")
    )
    return days.gather_every(-(-len(days) // _SAMPLE)) if len(days) > _SAMPLE else days


def _swapped(form: str) -> str:
    day, month = re.search("%-?d", form), re.search("%-?m", form)
    if not (day and month):
        return ""
    return form.replace(day[0], "\0").replace(month[0], day[0]).replace("\0", month[0])


@cache
def _pattern(form: str) -> str:
    return rf"^\s*({pattern(form)})({_TIME})?\s*$"
