"""Luhn's check digit (ISO/IEC 7812-1, annex B), for any length from 2 to 40.

>>> from piiscan.checks import is_valid
>>> is_valid("luhn", "4111 1111 1111 1111"), is_valid("luhn", "4111 1111 1111 1112")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.checks import Chars, Mask
from piiscan.checks.arithmetic import all_digits

LENGTHS = tuple(range(2, 41))


def valid(chars: Chars) -> Mask:
    total = np.zeros(len(chars), dtype=np.int16)
    for place, column in enumerate(chars.T[::-1]):
        digit = column - 48
        total += digit if place % 2 == 0 else digit * 2 - 9 * (digit > 4)
    return np.asarray(all_digits(chars) & (total % 10 == 0))
