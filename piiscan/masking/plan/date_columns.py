"""Which columns hold dates, and how a policy's coarser dates are written for one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from piiscan.core.errors import UsageError
from piiscan.core.types import DType
from piiscan.masking.plan.choice import Chosen

OLDEST: Final = 89
"""Years of age that HIPAA's Safe Harbor allows (45 CFR 164.514(b)(2)(i)(C)); older people form one category."""
ENOUGH: Final = 3
"""So many different dates tell that a column of text holds dates."""


def holds_dates(dtype: DType, sample: Sequence[str]) -> bool:
    """Whether a column's cells are dates.

    By its type or, for texts and whole numbers, by how most of the sampled ones are written.
    """
    if dtype in ("date", "datetime"):
        return True
    return dtype in ("string", "integer") and len(sample) >= ENOUGH and form_of(sample, order_matters=False) is not None


def form_of(sample: Sequence[str], order_matters: bool) -> str | None:
    """How most texts write a date, in the codes of `strftime`.

    None where fewer than half are dates, or where day and month can't be distinguished.
    """
    import polars as pl

    from piiscan.masking.operators import date_text

    if not any(any(c.isdigit() for c in text) for text in sample):
        return None
    counts = pl.DataFrame(
        {"value": pl.Series(sample, dtype=pl.String), "count": pl.Series([1] * len(sample), dtype=pl.UInt32)}
    )
    try:
        return date_text.recognise("date-generalise", counts, order_matters)
    except UsageError:
        return None


def shifted_dates(params: Mapping[str, Any], dtype: DType, sample: Sequence[str]) -> Chosen:
    """Return `date-shift` with the format of a text column, so that any batch of it can be masked.

    Where no format is recognised, the column is suppressed.
    """
    from piiscan.masking.operators.date_shift import DATES_DOMAIN

    if dtype in ("date", "datetime") or "format" in params:
        return Chosen("date-shift", params, DATES_DOMAIN)
    form = form_of(sample, order_matters=True) if dtype == "string" else None
    if form is None:
        return Chosen(
            "suppress",
            notes=("no single date format fits; name one with date-shift and its format to move the dates",),
        )
    return Chosen("date-shift", {**params, "format": form}, DATES_DOMAIN)


def coarser_dates(operator: str, params: Mapping[str, Any], dtype: DType, sample: Sequence[str]) -> Chosen:
    """Return `date-generalise` with the format of a text column.

    `year-of-birth` gives the year; the years of people over 89 become one.

    Where no form is to be seen, nothing of the dates is left: the operator would stop in the middle of a file.
    """
    chosen = {"level": "year", **params}
    notes: tuple[str, ...] = ()
    if operator == "year-of-birth":
        # A year to spare: who turns 90 in the year after this one is of the category already, as releases come after
        # plans.
        chosen.setdefault("earliest", date.today().year - OLDEST)
        notes = (
            (
                f"{chosen['earliest']} stands for that year and every earlier one, for people over {OLDEST}; make a "
                "new plan each year"
            ),
        )
    if dtype != "string" or "format" in chosen:
        return Chosen("date-generalise", chosen, notes=notes)
    form = form_of(sample, chosen["level"] not in ("year", "decade"))
    if form is None:
        return Chosen(
            "suppress",
            notes=("no single date format fits; name one with date-generalise and its format to keep the years",),
        )
    if "%y" in form and "earliest" in chosen:
        return Chosen("suppress", notes=(f"years with two digits don't show who is over {OLDEST}",))
    return Chosen("date-generalise", {**chosen, "format": form}, notes=notes)
