"""Luhn's check digit (ISO/IEC 7812-1, annex B), for any length from 2 to 40.

>>> from piiscan.rules.checks import is_valid
>>> is_valid("luhn", "4111 1111 1111 1111"), is_valid("luhn", "4111 1111 1111 1112")
(True, False)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits

LENGTHS = tuple(range(2, 41))


def valid(chars: Chars) -> Mask:
    small = chars.shape[1] <= 28  # 28 × 9 < 256
    total: NDArray[Any] = np.zeros(len(chars), dtype=np.uint8 if small else np.uint16)
    for place, column in enumerate(chars.T[::-1]):
        digit: Chars = column - 48
        if place % 2:
            digit += digit
            digit -= (digit > 9).view(np.uint8) * np.uint8(9)
        total += digit
    return np.asarray(all_digits(chars) & (total % 10 == 0))
