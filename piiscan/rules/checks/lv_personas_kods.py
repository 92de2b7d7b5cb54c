"""Latvian personal code (personas kods), issued by the Pilsonības un migrācijas lietu pārvalde.

Birth date DDMMYY, century, serial, check digit; since July 2017 32 and nine digits without a date. Weights
10 5 8 4 2 1 6 3 7 9, 1 more than the sum, modulo 11, 0 for 10.
https://www.pmlp.gov.lv/en/personal-identity-code

>>> from piiscan.rules.checks import is_valid
>>> is_valid("lv_personas_kods", "161175-19997"), is_valid("lv_personas_kods", "161375-19997")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    check = (1 + weighted_sum(v, (10, 5, 8, 4, 2, 1, 6, 3, 7, 9))) % 11 % 10
    date = is_date(1800 + v[:, 6] * 100 + number(v, 4, 6), number(v, 2, 4), number(v, 0, 2))
    return np.asarray(all_digits(chars) & (date | (number(v, 0, 2) == 32)) & (check == v[:, 10]))
