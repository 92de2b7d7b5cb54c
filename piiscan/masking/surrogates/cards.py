"""Payment card numbers that keep their brand, length and punctuation and pass Luhn's check.

"test": issuer numbers (the first six digits) out of the test numbers that the networks and payment services publish,
the rest drawn; "permuted": every digit behind those that tell the brand is permuted under the key, so that no two valid
numbers become one, and the number may exist.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.surrogates.keyed_functions import derived, permute, prf
from piiscan.masking.surrogates.written_numbers import Codes, Written, decimal, tweaks

if TYPE_CHECKING:
    import polars as pl

CardRange = Literal["test", "permuted"]
LENGTHS = range(12, 20)
# First digits of a brand, its published test issuer, and how many digits tell the brand. The first that fits counts.
# Test numbers: Stripe, Adyen and PayPal developer documentation; brand ranges: ISO/IEC 7812 and the networks.
_BRANDS = (
    ("4", "411111", 1),
    ("34", "343434", 2),
    ("37", "378282", 2),
    ("51", "510510", 2),
    ("52", "520082", 2),
    ("53", "555555", 2),
    ("54", "545454", 2),
    ("55", "555555", 2),
    ("22", "222300", 4),
    ("23", "222300", 4),
    ("24", "222300", 4),
    ("25", "222300", 4),
    ("26", "222300", 4),
    ("27", "222300", 4),
    ("6011", "601111", 4),
    ("64", "644564", 3),
    ("65", "601111", 2),
    ("35", "353011", 4),
    ("30", "305693", 3),
    ("36", "360066", 2),
    ("38", "385200", 2),
    ("62", "620000", 2),
    ("50", "501971", 4),
    ("67", "675964", 4),
    ("63", "630400", 4),
)


def capacity(length: int = 16) -> int:
    """How many test numbers a brand has, of a length."""
    return int(10 ** (length - 7))


def as_range(name: str) -> CardRange:
    """Raises `UsageError` for another word than the ranges of card numbers."""
    for kind in get_args(CardRange):
        if name == kind:
            return kind  # type: ignore[no-any-return]
    raise UsageError(f"range {name!r} of card numbers: choose one of {', '.join(get_args(CardRange))}")


def mask(values: pl.Series, key: Subkey, kind: CardRange) -> pl.Series:
    """Surrogates for card numbers (distinct, not null): one mask however a number is spaced.

    What has another number of digits than a card, or holds letters, becomes null.
    """
    import polars as pl

    if kind not in ("test", "permuted"):
        raise UsageError(f"range {kind!r} of card numbers: choose test or permuted")
    written = Written.of(values)
    ok = np.isin(written.count, LENGTHS) & ~values.str.contains(r"\p{L}").to_numpy()
    for rows, codes in written.by_length():
        length = codes.shape[1]
        if length not in LENGTHS:
            continue
        new = codes.copy()
        brand = _brand(codes)
        if kind == "test":
            words = prf(derived(key, "card", kind), pl.Series([c.tobytes().decode() for c in codes]))
            new[:, 6:] = decimal(words[:, 0] % np.uint64(10 ** (length - 6)), length - 6)
        for number in np.unique(brand):
            at = np.flatnonzero(brand == number)
            _, issuer, kept = _BRANDS[number] if number >= 0 else ("", "", 1)
            if kind == "test":
                if issuer:
                    new[at, :6] = np.frombuffer(issuer.encode(), dtype=np.uint8)
                else:
                    ok[rows[at]] = False
            else:
                new[at, kept:-1] = (
                    permute(derived(key, "card", kind), codes[at, kept:-1] - 48, 10, tweaks(codes[at, :kept])) + 48
                )
        new[:, -1] = luhn_digits(new[:, :-1])
        written.write(rows, new)
    texts = written.texts(values.name)
    return texts if ok.all() else texts.zip_with(pl.Series(ok), pl.Series([None], dtype=pl.String))


def declared(masks: pl.Series, kind: CardRange) -> pl.Series:
    """Whether each mask (not null) passes Luhn's check, and for "test" is of a test issuer."""
    import polars as pl

    from piiscan.rules.checks import luhn

    written = Written.of(masks)
    ok = np.zeros(len(masks), dtype=np.bool_)
    for rows, codes in written.by_length():
        if codes.shape[1] in LENGTHS:
            ok[rows] = luhn.valid(codes)
            if kind == "test":
                issuers = np.array([int(issuer) for _, issuer, _ in _BRANDS])
                ok[rows] &= np.isin((codes[:, :6] - 48) @ (10 ** np.arange(5, -1, -1)), issuers)
    return pl.Series(masks.name, ok)


def luhn_digits(payload: Codes) -> Codes:
    """The check digit of each row of digits (ASCII)."""
    total = np.zeros(len(payload), dtype=np.uint8)  # 18 × 9 fits
    for position, column in enumerate(payload.T[::-1]):
        digit = column - np.uint8(48)
        total += digit if position % 2 else np.where(digit > 4, digit * np.uint8(2) - np.uint8(9), digit * np.uint8(2))
    return np.asarray((10 - total % 10) % 10 + 48, dtype=np.uint8)


def _brand(codes: Codes) -> NDArray[np.int8]:
    """Which of `_BRANDS` each number is of, -1 for none."""
    first = np.zeros(len(codes), dtype=np.int16)
    for column in codes.T[:4]:
        first = first * np.int16(10) + (column - np.uint8(48))
    return _by_first_four()[first]


@cache
def _by_first_four() -> NDArray[np.int8]:
    out = np.full(10_000, -1, dtype=np.int8)
    for number, (first, _, _) in reversed(list(enumerate(_BRANDS))):
        width = 10 ** (4 - len(first))
        out[int(first) * width : (int(first) + 1) * width] = number
    return out
