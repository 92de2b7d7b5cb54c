"""Kazakhstani individual identification number, issued by the Ministry of Justice.

Date of birth, century and sex, serial; weights 1 … 11 by 11, and if that gives 10 once more with 3 … 11, 1, 2.
https://egov.kz

>>> from piiscan.rules.checks import is_valid
>>> is_valid("kz_iin", "870412300005"), is_valid("kz_iin", "870412300008")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (12,)
_CENTURY = np.array([0, 1800, 1800, 1900, 1900, 2000, 2000, 0, 0, 0], dtype=np.int64)


def valid(chars: Chars) -> Mask:
    ok = all_digits(chars)
    values = np.where(ok[:, None], digits(chars), 0)
    century = _CENTURY[values[:, 6]]
    day = is_date(century + number(values, 0, 2), number(values, 2, 4), number(values, 4, 6))
    first = weighted_sum(values, range(1, 12)) % 11
    second = weighted_sum(values, (3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2)) % 11
    check = np.where(first == 10, second, first)
    return np.asarray(ok & (century > 0) & day & (check == values[:, 11]))
