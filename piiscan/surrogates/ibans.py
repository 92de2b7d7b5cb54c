"""IBANs that keep their country, length and spacing and pass the check by 97.

Letters and digits of the national part are permuted under the key, letters to letters and digits to digits, so that no two IBANs become one. Few
countries publish bank codes that nobody will have, so a masked IBAN may exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from piiscan.checks.arithmetic import mod_97, short_digits
from piiscan.keys import Subkey
from piiscan.surrogates.keyed import SMALLEST, derived, permute
from piiscan.surrogates.written import Codes, Written, groups

if TYPE_CHECKING:
    import polars as pl


def mask(values: pl.Series, key: Subkey) -> pl.Series:
    """Surrogates for IBANs (distinct, not null). What doesn't have the form of an IBAN becomes null."""
    import polars as pl

    written = Written.of(values, letters=True)
    ok = np.zeros(len(values), dtype=np.bool_)
    subkey = derived(key, "iban")
    for rows, codes in written.by_length():
        if not 15 <= codes.shape[1] <= 34:
            continue
        is_letter = codes > 57
        form = is_letter[:, :2].all(axis=1) & ~is_letter[:, 2:4].any(axis=1)
        ok[rows] = form
        new = codes.copy()
        kinds = np.where(is_letter, 65, 48).astype(np.uint8)
        for head, at in groups(np.hstack([codes[:, :2], kinds[:, 4:]])):
            if not form[at[0]]:
                continue
            letters = np.flatnonzero(is_letter[at[0]])[2:]
            digits = np.flatnonzero(~is_letter[at[0]])[2:]
            _part(new, at, letters, 26, 65, subkey, head)
            _part(new, at, digits, 10, 48, subkey, head)
        new[:, 2:4] = _check_digits(new)
        written.write(rows, new)
    texts = written.texts(values.name)
    return texts if ok.all() else texts.zip_with(pl.Series(ok), pl.Series([None], dtype=pl.String))


def declared(masks: pl.Series) -> pl.Series:
    """Whether each mask (not null) passes the check."""
    import polars as pl

    from piiscan.checks import iban

    written = Written.of(masks, letters=True)
    ok = np.zeros(len(masks), dtype=np.bool_)
    for rows, codes in written.by_length():
        if codes.shape[1] in iban.LENGTHS:
            ok[rows] = iban.valid(codes)
    return pl.Series(masks.name, ok)


def _part(new: Codes, rows: np.ndarray, places: np.ndarray, radix: int, zero: int, key: Subkey, head: bytes) -> None:  # type: ignore[type-arg]
    """Permute the signs at some places. A part too small to permute safely (the four letters of a bank) is shifted instead: equal banks get equal
    codes, whose frequencies show which is which."""
    if not len(places):
        return
    signs = new[np.ix_(rows, places)] - np.uint8(zero)
    if radix ** len(places) >= SMALLEST:
        out = permute(key, signs, radix, head)
    else:
        secret = np.frombuffer(derived(key, "shift", head.hex(), str(radix)).secret, dtype=np.uint8)[: len(places)]
        out = (signs.astype(np.int64) + secret) % radix
    new[np.ix_(rows, places)] = (out + zero).astype(np.uint8)


def _check_digits(codes: Codes) -> Codes:
    """The two check digits (ISO 13616) that belong to each row."""
    bare = codes.copy()
    bare[:, 2:4] = 48
    values = short_digits(bare)
    check = 98 - mod_97([*values.T[4:], *values.T[:4]])
    return np.stack([check // 10 + 48, check % 10 + 48], axis=1).astype(np.uint8)
