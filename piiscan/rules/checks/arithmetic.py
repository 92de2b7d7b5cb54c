"""Arithmetic that check digits share, vectorised over (n, L) matrices of ASCII codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piiscan.rules.checks import Chars, Mask

Ints = NDArray[np.int64]


def digits(chars: Chars) -> Ints:
    """ASCII digits as 0–9, letters as A=10 … Z=35 (ISO 7064, ISO 13616)."""
    return short_digits(chars).astype(np.int64)


def short_digits(chars: Chars) -> Chars:
    """The same in 8 bits: a sum or product of them overflows unless it is taken in a wider type."""
    codes = chars - 48
    return codes if codes.max(initial=0) <= 9 else codes - (codes > 9).view(np.uint8) * np.uint8(7)


def all_digits(chars: Chars) -> Mask:
    """Which rows hold nothing but ASCII digits."""
    return np.asarray((chars - 48 <= 9).all(axis=1))  # unsigned: what is below "0" wraps to above 9


def weighted_sum(values: Ints, weights: Sequence[int]) -> Ints:
    """Sum of the first len(weights) digits times `weights`."""
    total = np.zeros(len(values), dtype=np.int64)
    for column, weight in zip(values.T, weights, strict=False):
        total += column * weight
    return total


def number(values: NDArray[Any], start: int, stop: int) -> Ints:
    """The decimal number that the digits in columns [start, stop) spell; at most 18 digits."""
    spelled = np.zeros(len(values), dtype=np.int64)
    for column in values.T[start:stop]:
        spelled *= 10
        spelled += column
    return spelled


def luhn_sum(values: Ints) -> Ints:
    """Luhn sum, check digit last; a number is valid where it is a multiple of 10 (ISO/IEC 7812-1, annex B)."""
    total = np.zeros(len(values), dtype=np.int64)
    for place, column in enumerate(values.T[::-1]):
        total += column if place % 2 == 0 else column * 2 - 9 * (column > 4)
    return total


def is_date(year: Ints, month: Ints, day: Ints) -> Mask:
    """Which triples are days of the Gregorian calendar."""
    leap = ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0)
    lengths = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], dtype=np.int64)
    known = (month >= 1) & (month <= 12)
    last = lengths[np.where(known, month, 0)] + ((month == 2) & leap)
    return np.asarray(known & (day >= 1) & (day <= last))


_NEXT_11_10 = np.array([(total % 10 or 10) * 2 % 11 for total in range(10 + 36)], dtype=np.uint8)


def mod_11_10(values: NDArray[Any]) -> Mask:
    """Which rows of digits, check digit last, satisfy ISO 7064 MOD 11,10 (a pure system, one check digit)."""
    product = np.full(len(values), 10, dtype=np.uint8)
    for column in values.astype(np.uint8, copy=False).T[:-1]:
        product = _NEXT_11_10.take(product + column, mode="clip")
    return np.asarray((product + values[:, -1]) % 10 == 1)


def has_form(chars: Chars, form: str) -> Mask:
    """Which rows have the form: per column `A` an upper-case letter, `9` a digit, `X` either.

    Columns beyond the shorter of both aren't looked at.
    """
    ok = np.ones(len(chars), dtype=np.bool_)
    for column, kind in zip(chars.T, form, strict=False):
        if kind != "A":
            number = column - 48 <= 9  # unsigned: what is below "0" wraps to above 9
            ok &= number if kind == "9" or number.all() else number | (column - 65 <= 25)
        else:
            ok &= column - 65 <= 25
    return ok


def mod_97(columns: Iterable[NDArray[Any]]) -> Ints:
    """The remainder by 97 of the numbers whose digits are in `columns`, with a letter as two digits.

    Source: ISO/IEC 7064, MOD 97-10. A matrix is given as its transpose.
    """
    values = np.asarray(list(columns))
    letters = values > 9
    in_column: Mask = np.asarray(letters.any(axis=1))
    if bool((letters.all(axis=1) == in_column).all()):
        # Each place has a weight.
        weights: list[int] = []
        place = 0
        for is_letter in in_column.tolist()[::-1]:
            weights.append(pow(10, place, 97))
            place += 1 + is_letter
        products = values * np.array(weights[::-1], dtype=np.uint16)[:, None]  # 35 × 96 fits
        return np.asarray(products.sum(axis=0, dtype=np.uint32) % 97, dtype=np.int64)
    rest = np.zeros(values.shape[1], dtype=np.int64)
    for place, (column, is_letter) in enumerate(zip(values, letters, strict=True)):
        rest *= np.where(is_letter, 100, 10)
        rest += column
        if place % 7 == 6:  # 97 × 100⁷ still fits 64 bits
            rest %= 97
    return rest % 97


def expanded_luhn_sum(values: Ints) -> Ints:
    """Luhn sum where a letter stands for its two digits, A=10 … Z=35 (ISO 6166, securities). Check digit last."""
    total = np.zeros(len(values), dtype=np.int64)
    twice = np.zeros(len(values), dtype=np.bool_)
    for column in values.T[::-1]:
        ones, tens = column % 10, column // 10
        for digit, present in ((ones, np.ones(len(values), dtype=np.bool_)), (tens, column > 9)):
            doubled = np.where(digit > 4, digit * 2 - 9, digit * 2)
            total += np.where(present, np.where(twice, doubled, digit), 0)
            twice = twice ^ present
    return total
