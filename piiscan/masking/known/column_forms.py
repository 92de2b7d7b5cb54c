"""The forms of the values of a column, of which only those count that a text mentions.

They depend on the cells alone, so that any process can make them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.detection.reading.visible_text import as_seen
from piiscan.masking.known import long_names, value_forms
from piiscan.masking.known.entries import LONGEST
from piiscan.masking.known.folded_text import Flags, Hasher, Hashes, Ints
from piiscan.masking.known.text_hashes import Mentioned
from piiscan.masking.known.value_forms import BORN, LAST, NAME, NUMBER, Forms, Masks
from piiscan.masking.operators import date_text
from piiscan.masking.plan.plan_types import Action

_TWO_FAMILY_NAMES: Final = ("es", "pt", "ca", "gl")
"""Languages of people who have two family names."""


class ColumnForms(NamedTuple):
    """`forms` that are mentioned of distinct values, and `which` of these each cell has.

    `is_empty`: there were no forms, mentioned or not. `lengths`: how many different numbers have so many digits.
    """

    which: Ints
    forms: Sequence[Forms]
    is_empty: bool
    lengths: Ints | None = None


class MentionedCells(NamedTuple):
    """Which `cells` have a form that is mentioned; the rest as in `ColumnForms`."""

    cells: Ints
    is_empty: bool
    lengths: Ints | None = None


def of_column(
    hasher: Hasher, texts: Mentioned, kind: int, action: Action, values: pl.Series, masks: pl.Series
) -> ColumnForms:
    """The forms of filled cells that have some masks."""
    which, once, made = _once(values, masks)
    if not len(once):
        return ColumnForms(which, (), True)
    asked = _Asked(texts)
    return _mentioned(which, _forms(hasher, kind, action, once, made, asked), asked, _lengths(kind, once))


def mentioned_in(hasher: Hasher, texts: Mentioned, kind: int, action: Action, values: pl.Series) -> MentionedCells:
    """Which of some filled cells have a form that is mentioned."""
    once = values.unique(maintain_order=True)
    if not len(once):
        return MentionedCells(np.zeros(0, dtype=np.int64), True)
    asked, told = _Asked(texts), np.zeros(len(once), dtype=np.bool_)
    no_masks = pl.Series([None], dtype=pl.String).new_from_index(0, len(once))
    for found in _forms(hasher, kind, action, once, no_masks, asked):
        told[found.value[asked(found.hash)]] = True
    cells = told if len(once) == len(values) else values.is_in(once.filter(told).implode()).to_numpy()
    return MentionedCells(np.flatnonzero(cells), asked.is_empty, _lengths(kind, once))


def _lengths(kind: int, once: pl.Series) -> Ints | None:
    """How many of some different numbers have so many digits; None where they are none."""
    if kind != NUMBER:
        return None
    written = once.cast(pl.String)
    text = value_forms.bare_digits(written).fill_null(written.str.replace_all(r"[\s./-]", ""))
    digits = text.filter(text.str.contains("^[0-9]+$")).str.len_bytes().clip(upper_bound=LONGEST - 1)
    return np.bincount(digits.to_numpy(), minlength=LONGEST)


def of_full_names(hasher: Hasher, texts: Mentioned, names: pl.DataFrame) -> ColumnForms:
    """The forms of full names: `first`, `last`, and their masks, `first mask` and `last mask`."""
    columns = ["first", "last", "first mask", "last mask"]
    once = names.select(columns).unique(maintain_order=True).with_row_index("n")
    which = names.join(once, on=columns, how="left", nulls_equal=True, maintain_order="left")["n"]
    first, last = as_seen(once["first"]), as_seen(once["last"])
    forms = value_forms.full_names(first, last, once["first mask"], once["last mask"], hasher)
    return _mentioned(which.to_numpy().astype(np.int64), forms, _Asked(texts))


def split(action: Action, names: pl.Series) -> tuple[pl.Series, pl.Series, pl.Series]:
    """Titles, first names and last names of whole names."""
    from piiscan.masking.surrogates import name_format

    found = name_format.split(names, str(action.params.get("look") or "First Last"))
    return found.title, found.first, found.last


class _Asked:
    """Says which hashes texts mention. `is_empty`: it was asked for none."""

    def __init__(self, texts: Mentioned) -> None:
        self._texts, self.is_empty = texts, True

    def __call__(self, hashes: Hashes) -> Flags:
        self.is_empty &= not len(hashes)
        return self._texts.has(hashes)


def _mentioned(which: Ints, forms: Iterable[Forms], asked: _Asked, lengths: Ints | None = None) -> ColumnForms:
    out = [found.among(asked(found.hash)) for found in forms]
    return ColumnForms(which, [each for each in out if len(each.hash)], asked.is_empty, lengths)


def _once(values: pl.Series, masks: pl.Series) -> tuple[Ints, pl.Series, pl.Series]:
    """The different values with their masks, and for each cell which of them it has."""
    frame = pl.DataFrame({"value": values, "mask": masks})
    once = frame.unique(maintain_order=True)
    if len(once) == len(frame):
        return np.arange(len(frame)), values, masks
    once = once.with_row_index("n")
    which = frame.join(once, on=["value", "mask"], how="left", nulls_equal=True, maintain_order="left")["n"]
    return which.to_numpy().astype(np.int64), once["value"], once["mask"]


def _forms(
    hasher: Hasher, kind: int, action: Action, values: pl.Series, masks: pl.Series, asked: _Asked
) -> Iterable[Forms]:
    if kind == BORN:
        return _births(hasher, action, values, masks)
    values, masks = as_seen(values.cast(pl.String)), masks.cast(pl.String)
    if kind == NAME:
        return _names(hasher, action, values, masks, asked)
    country = ""
    if code := action.params.get("country"):
        from piiscan.masking.surrogates.numbering_plans import plans

        country = plans()[code].code if code in plans() else ""
    return value_forms.forms(kind, values, masks, hasher, asked, country)


def _names(hasher: Hasher, action: Action, values: pl.Series, masks: pl.Series, asked: _Asked) -> Iterable[Forms]:
    """A full name as a whole, and its parts, of which many names have the same."""
    yield from value_forms.forms(NAME, values, masks, hasher, asked)
    from piiscan.masking.surrogates import name_format

    parts, made = split(action, values), split(action, masks)
    last_two = str(action.params.get("locale") or "")[:2] in _TWO_FAMILY_NAMES
    yield from long_names.inner_forms(name_format.bare(values), name_format.bare(masks), parts[1:], last_two, hasher)
    for kind, part in ((0, 1), (LAST, 2)):
        names, new = parts[part], made[part]
        has = names.is_not_null().arg_true()
        which, once, masks_once = _once(names.gather(has), new.gather(has))
        for found in value_forms.forms(kind, once, masks_once, hasher, asked):
            yield _of_each(found.among(asked(found.hash)), which, has.to_numpy().astype(np.int64))


def _of_each(found: Forms, which: Ints, values: Ints) -> Forms:
    """The forms of distinct values (in their order), for the `values` that each have `which` of these."""
    size = int(which.max(initial=-1)) + 1
    begin = np.searchsorted(found.value, np.arange(size))
    count = np.bincount(found.value, minlength=size)[which]
    at = np.repeat(begin[which] - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
    return Forms(np.repeat(values, count), found.hash[at], found.kind, found.mask._replace(at=found.mask.at[at]))


def _births(hasher: Hasher, action: Action, values: pl.Series, masks: pl.Series) -> Iterable[Forms]:
    old, new = _days(action, values), _days(action, masks)
    has = old.is_not_null().arg_true().to_numpy().astype(np.int64)
    if len(has):
        hashes = value_forms.day_hashes(value_forms.ordinals(old.gather(has)), hasher)
        text = new.cast(pl.String).fill_null(masks.cast(pl.String))
        yield Forms(has, hashes, BORN, Masks(text, has))


def date_form(action: Action) -> str:
    """How the texts of a column write dates; "" where the plan doesn't say it."""
    return str(action.params.get("date_format") or action.params.get("format") or "")


def _days(action: Action, cells: pl.Series) -> pl.Series:
    """Cells as days, null for what is none."""
    if cells.dtype != pl.String:
        return (
            cells.cast(pl.Date, strict=False)
            if cells.dtype.is_temporal()
            else pl.Series([None] * len(cells), dtype=pl.Date)
        )
    form = date_form(action)
    if not form:
        from piiscan.core.errors import UsageError

        counts = cells.drop_nulls().value_counts(sort=False)
        counts = counts.rename({counts.columns[0]: "value"}).sort("value")
        try:
            form = date_text.recognise("dates", counts, False) if len(counts) else ""
        except UsageError:
            form = ""
    if not form:
        return pl.Series([None] * len(cells), dtype=pl.Date)
    return date_text.read(cells, form)["date"]
