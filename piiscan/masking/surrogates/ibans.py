"""IBANs that keep their country, length and spacing and pass the check by 97.

Letters and digits of the national part are permuted under the key, letters to letters and digits to digits, so that no
two IBANs become one. Few countries publish bank codes that nobody will have, so a masked IBAN may exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from piiscan.core.keys import Subkey
from piiscan.masking.surrogates.keyed_functions import derived, permute
from piiscan.masking.surrogates.written_numbers import Codes, Written, groups
from piiscan.rules.checks.arithmetic import mod_97, short_digits

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
        form = np.asarray(is_letter[:, :2].all(axis=1) & ~is_letter[:, 2:4].any(axis=1))
        ok[rows] = form
        new = codes.copy()
        kinds = np.where(is_letter, 65, 48).astype(np.uint8)
        for head, at in groups(np.hstack([codes[:, :2], kinds[:, 4:]])):
            if not form[at[0]]:
                continue
            letter = is_letter[at[0], 4:]
            zero = kinds[at[0], 4:]
            new[at, 4:] = permute(subkey, codes[at, 4:] - zero, np.where(letter, 26, 10).tolist(), head) + zero
        new[:, 2:4] = _check_digits(new)
        written.write(rows, new)
    texts = written.texts(values.name)
    return texts if ok.all() else texts.zip_with(pl.Series(ok), pl.Series([None], dtype=pl.String))


def declared(masks: pl.Series) -> pl.Series:
    """Whether each mask (not null) passes the check."""
    import polars as pl

    from piiscan.rules.checks import iban

    written = Written.of(masks, letters=True)
    ok = np.zeros(len(masks), dtype=np.bool_)
    for rows, codes in written.by_length():
        if codes.shape[1] in iban.LENGTHS:
            ok[rows] = iban.valid(codes)
    return pl.Series(masks.name, ok)


def _check_digits(codes: Codes) -> Codes:
    """The two check digits (ISO 13616) that belong to each row."""
    bare = codes.copy()
    bare[:, 2:4] = 48
    values = short_digits(bare)
    check = 98 - mod_97([*values.T[4:], *values.T[:4]])
    return np.stack([check // 10 + 48, check % 10 + 48], axis=1).astype(np.uint8)
