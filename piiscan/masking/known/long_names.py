"""The forms in which a name of three words or more may occur in a text, beside those of all names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import polars as pl

from piiscan.masking.known.folded_text import Hasher
from piiscan.masking.known.value_forms import INNER, LAST_FIRST, PARTICLES, Forms, Masks, Whole

_SHORTEST: Final = 3
"""Letters of a word that a person is called by."""


def inner_forms(
    names: pl.Series, masks: pl.Series, known: Sequence[pl.Series], last_two: bool, hasher: Hasher
) -> Iterator[Forms]:
    """Of names of three words or more the other words, runs that miss an end, and the family name before the others.

    `names` and `masks` (String) have no titles. A mask's words are those at the same end. `known`: words that have
    forms already, the first and the last names. `last_two`: the last two words are family names, as in Spain and
    Portugal.
    """
    words, made = (n.fill_null("").str.extract_all(r"[^\s,]+") for n in (names, masks))
    at = ((words.list.len() >= 3) & ~names.str.contains(",", literal=True)).arg_true()
    if not len(at):
        return
    frame = pl.DataFrame({"value": at, "w": words.gather(at), "m": made.gather(at)})
    frame = frame.with_columns(known=pl.concat_list([part.gather(at).fill_null("") for part in known]))
    frame = frame.with_columns(n=pl.col("w").list.len().cast(pl.Int64), k=pl.col("m").list.len().cast(pl.Int64))
    w, m, n, k = pl.col("w").list, pl.col("m").list, pl.col("n"), pl.col("k")
    whole = m.join(" ")
    for family in (1, 2, n - 1):  # words of it, from behind
        left = pl.min_horizontal(family, k - 1)
        parts = frame.filter(n > family).select(
            "value",
            given=w.slice(0, n - family).list.join(" "),
            family=w.slice(n - family).list.join(" "),
            given_mask=pl.when(k > 1).then(m.slice(0, k - left).list.join(" ")).otherwise(whole),
            family_mask=pl.when(k > 1).then(m.slice(k - left).list.join(" ")).otherwise(whole),
        )
        yield from _with_family_first(parts, hasher)
    each = frame.with_columns(at=pl.int_ranges(0, n)).explode("at")
    last = (pl.lit(last_two) & (pl.col("at") == n - 2)) | (pl.col("at") == n - 1)
    place = pl.when(k == n).then("at").when(last).then(k - 1).otherwise(0)
    others = each.select("value", "known", form=w.get(pl.col("at")), mask=m.get(place, null_on_oob=True))
    form = pl.col("form")
    others = others.filter(
        ~pl.col("known").list.contains(form),
        ~form.str.to_lowercase().is_in(sorted(PARTICLES)),
        form.str.len_chars() >= _SHORTEST,
    )
    yield _inner(others["value"], Whole(others["form"], hasher), others["mask"])


def _inner(value: pl.Series, form: Whole, masks: pl.Series) -> Forms:
    return Forms(value.to_numpy().astype(np.int64), form.hashes(), INNER, Masks(masks, np.arange(len(value))))


def _with_family_first(parts: pl.DataFrame, hasher: Hasher) -> Iterator[Forms]:
    """The given names and the family name of some names, each by itself, and both with the family name first."""
    value = parts["value"]
    given, family = Whole(parts["given"], hasher), Whole(parts["family"], hasher)
    for name in ("given", "family"):
        several = parts[name].str.contains(" ", literal=True).arg_true()  # one word is known as it is
        if len(several):
            yield _inner(value[several], Whole(parts[name][several], hasher), parts[f"{name}_mask"][several])
    at = np.arange(len(value))
    raw, length = hasher.joined(family.raw, family.length, given.raw), family.length + given.length
    second, first = Masks(parts["family_mask"], at), Masks(parts["given_mask"], at)
    found = hasher.final(raw, length)
    yield Forms(value.to_numpy().astype(np.int64), found, LAST_FIRST, first, second, family.length)
