"""Icelandic identity number (kennitala) of people and organisations, issued by Þjóðskrá.

Date DDMMYY (the day 40 higher for organisations), two digits, a check digit (weights 3 2 7 6 5 4 3 2 1, a multiple of
11) and the century (8, 9 or 0).
https://www.skra.is/english/people/my-registration/my-identification-number/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("is_kennitala", "120174-3399"), is_valid("is_kennitala", "120174-3389")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    century = np.select([v[:, 9] == 8, v[:, 9] == 9, v[:, 9] == 0], [1800, 1900, 2000], default=0)
    day = number(v, 0, 2)
    date = is_date(century + number(v, 4, 6), number(v, 2, 4), np.where(day > 40, day - 40, day))
    return np.asarray(
        all_digits(chars) & (century > 0) & date & (weighted_sum(v, (3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0)
    )
