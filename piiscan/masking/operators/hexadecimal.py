"""Permutes hexadecimal identifiers (UUIDs, advertising ids, serial numbers of chips) within their format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.masking.crypto.text_bytes import Bytes, groups
from piiscan.masking.operators.format_patterns import format_patterns, upper

if TYPE_CHECKING:
    import polars as pl

_BETWEEN: Final = r"[-:. {}]*"
_FORM: Final = "|".join(rf"^{_BETWEEN}(?:[0-9{letters}]{_BETWEEN}){{6,}}$" for letters in ("a-f", "A-F"))


def is_hexadecimal(texts: pl.Series) -> pl.Series:
    """Which texts (no nulls) are six hexadecimal digits or more, with letters of one case (Boolean).

    Separators are allowed.
    """
    return texts.str.contains(_FORM)


def permuted(texts: pl.Series, key: bytes, inverse: bool) -> pl.Series:
    """Other identifiers of the same form, one to one: separators and case stay.

    FF1 of radix 16; one without letters keeps having none, since its case could not be told from its mask, and goes by
    radix 10.
    """
    import polars as pl

    from piiscan.masking.crypto.numerals import permuted as ff1

    found = format_patterns(texts.str.to_lowercase())
    codes = found.codes
    changed = []
    for label, rows in groups(codes.lengths << 1 | (found.letters > 0)):
        some, length = bool(label & 1), label >> 1
        numerals = _numerals(upper(codes.take(rows).matrix(length)))
        radices = np.full((1, length), 16 if some else 10, dtype=np.uint8)
        out = np.array(numerals, order="F")
        todo, step = np.arange(len(rows)), np.asfortranarray(numerals)
        while len(todo):
            step = ff1(step, np.broadcast_to(radices, step.shape), key, b"", inverse)
            good = (step > 9).any(axis=1) == some
            out[todo[good]] = step[good]
            todo, step = todo[~good], np.asfortranarray(step[~good])
        changed.append((rows, np.where(out > 9, out + np.uint8(55), out + np.uint8(48)).astype(np.uint8)))
    masks = found.rewritten(np.arange(len(texts)), changed)
    capital = texts.str.contains("[A-F]")
    return (
        pl.DataFrame({"m": masks, "c": capital})
        .select(pl.when("c").then(pl.col("m").str.to_uppercase()).otherwise("m").alias(texts.name))
        .to_series()
    )


def _numerals(codes: Bytes) -> Bytes:
    return np.where(codes >= 65, codes - np.uint8(55), codes - np.uint8(48)).astype(np.uint8)
