"""Danish personal number (CPR), issued by CPR-kontoret.

Birth date DDMMYY and four digits, the first of which tells the century. Numbers since 2007 need not satisfy a check
digit, so only the date is tested.
https://cpr.dk/cpr-systemet/opbygning-af-cpr-nummeret

>>> from piiscan.rules.checks import is_valid
>>> is_valid("dk_cpr", "211062-5629"), is_valid("dk_cpr", "310262-5629")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    year, seventh = number(v, 4, 6), v[:, 6]
    nineteenth = (seventh >= 5) & (seventh <= 8) & (year >= 58)
    twentieth = (seventh <= 3) | (((seventh == 4) | (seventh == 9)) & (year >= 37))
    century = np.where(nineteenth, 1800, np.where(twentieth, 1900, 2000))
    return np.asarray(all_digits(chars) & is_date(century + year, number(v, 2, 4), number(v, 0, 2)))
