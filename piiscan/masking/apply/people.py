"""Whom each row is about, and whether that is a woman or a man: the columns of a subject as texts that operators go
by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from piiscan.masking.plan.plan_types import Subject, TablePlan

if TYPE_CHECKING:
    from piiscan.masking.apply.links import Links

_APART = "\x1f"


def subjects(frame: pl.DataFrame, subject: Subject, plan: TablePlan, links: Links | None = None) -> pl.Series:
    """A canonical text for each row (String, no nulls): of the first of the subject's keys that has all its cells; ""
    where none has.

    E-mail addresses stand for themselves, whatever the table. Other keys mean somebody within the subject's scope only:
    customer 17 is not employee 17.
    `links`: which of these texts are another one's person.
    """
    found: list[pl.Series] = []
    for key in keys(frame, subject, plan):
        found.append(key.alias(str(len(found))))
        if not key.null_count():
            break
    texts = pl.DataFrame(found).select(pl.coalesce(pl.all()).fill_null("").alias("s"))["s"]
    return texts if links is None else links.resolved(texts)


def keys(frame: pl.DataFrame, subject: Subject, plan: TablePlan) -> Iterator[pl.Series]:
    """For each of the subject's keys a text a row (String), null where it has no cells."""
    from piiscan.masking.surrogates.personas import canonical

    for key in subject.keys:
        cells = [canonical(frame[str(i)].cast(pl.String)).replace("", None) for i in key]
        if len(key) > 1:
            text = pl.DataFrame([c.alias(str(n)) for n, c in enumerate(cells)]).select(
                pl.concat_str(
                    pl.all(), separator=_APART, ignore_nulls=plan.columns[key[0]].entity != "PERSON_ID"
                ).alias("s"),
                pl.all_horizontal(pl.all().is_null()).alias("none"),
            )
            joined = text["s"].zip_with(~text["none"], pl.Series([None], dtype=pl.String))
        else:
            joined = cells[0]
        if plan.columns[key[0]].entity != "EMAIL_ADDRESS":
            joined = f"{subject.scope}{_APART}" + joined
        yield joined


def genders(frame: pl.DataFrame, subject: Subject) -> pl.Series | None:
    """Which gender each row tells: "f", "m" or null; None where no column tells."""
    parts = sorted({str(i) for i in subject.by_part.values()})
    if not parts:
        return None
    once = frame.select(parts).unique()
    if 2 * len(once) > len(frame):
        return _genders(frame, subject)
    known = once.with_columns(_genders(once, subject).alias("gender"))
    return frame.select(parts).join(known, on=parts, how="left", nulls_equal=True, maintain_order="left")["gender"]


def _genders(frame: pl.DataFrame, subject: Subject) -> pl.Series:
    from piiscan.masking.surrogates import gender, name_format

    def cells(i: int | None) -> pl.Series | None:
        return None if i is None else frame[str(i)].cast(pl.String)

    title, first, last = cells(subject.title), cells(subject.first_name), cells(subject.last_name)
    if subject.full_name is not None and first is None:
        whole = cells(subject.full_name)
        assert whole is not None
        titles, first, last = name_format.split(whole, subject.look or "First Last")
        title = titles if title is None else title
    return gender.of_rows(
        subject.locale,
        gender=cells(subject.gender),
        title=title,
        first_name=first,
        last_name=last,
        meaning=subject.meaning or None,
    )
