"""Verhoeff's check digit over the dihedral group D5 (Mathematical Centre Tracts 29, 1969), lengths 2 to 40.

Used for Aadhaar, the number of residents of India, issued by UIDAI.
https://en.wikipedia.org/wiki/Verhoeff_algorithm

>>> from piiscan.rules.checks import is_valid
>>> is_valid("verhoeff", "2363"), is_valid("verhoeff", "2364")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits

LENGTHS = tuple(range(2, 41))


def _times(a: int, b: int) -> int:
    """Product in D5: 0–4 rotations, 5–9 reflections."""
    if a < 5:
        return (a + b) % 5 + (0 if b < 5 else 5)
    return (a - b) % 5 + (5 if b < 5 else 0)


_PRODUCT = np.array([[_times(a, b) for b in range(10)] for a in range(10)], dtype=np.int64)
_PERMUTATION = np.array((1, 5, 7, 6, 2, 8, 3, 0, 9, 4), dtype=np.int64)


def valid(chars: Chars) -> Mask:
    ok = all_digits(chars)
    values = np.where(ok[:, None], digits(chars), 0)
    total = np.zeros(len(values), dtype=np.int64)
    permuted = np.arange(10, dtype=np.int64)
    for column in values.T[::-1]:
        total = _PRODUCT[total, permuted[column]]
        permuted = _PERMUTATION[permuted]
    return np.asarray(ok & (total == 0))
