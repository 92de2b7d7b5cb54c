"""Kuwaiti civil number, issued by the Public Authority for Civil Information.

Century, date of birth, serial; weights 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2, eleven minus the remainder by 11 is the last.
https://www.paci.gov.kw

>>> from piiscan.rules.checks import is_valid
>>> is_valid("kw_civil", "287010123419"), is_valid("kw_civil", "287010123418")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (12,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    century = values[:, 0]
    day = is_date(1700 + 100 * century + number(values, 1, 3), number(values, 3, 5), number(values, 5, 7))
    check = 11 - weighted_sum(values, (2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)) % 11
    return np.asarray(all_digits(chars) & ((century == 2) | (century == 3)) & day & (check == values[:, 11]))
