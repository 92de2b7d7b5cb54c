"""Personal number of the former Yugoslavia (JMBG, EMŠO, EMBG), now issued by each successor state.

Birth date DDMMYYY (last three digits of the year), region (two digits), serial, check digit: weights 7 6 5 4 3 2 twice,
11 less the sum modulo 11, 0 for 10 and 11.
https://en.wikipedia.org/wiki/Unique_Master_Citizen_Number

>>> from piiscan.rules.checks import is_valid
>>> is_valid("jmbg", "0101006500006"), is_valid("jmbg", "0101006500007")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (13,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    year = number(v, 4, 7)
    date = is_date(np.where(year < 800, 2000, 1000) + year, number(v, 2, 4), number(v, 0, 2))
    total = weighted_sum(v, (7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2))
    return np.asarray(all_digits(chars) & date & (-total % 11 % 10 == v[:, 12]))
