"""Bulgarian personal number (ЕГН), issued by ГД ГРАО.

Birth date YYMMDD (months 20 higher for the 1800s, 40 for the 2000s), serial, check digit: weights 2 4 8 5 10 9 7 3 6,
sum modulo 11, 0 for 10.
https://www.grao.bg/esgraon.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("bg_egn", "752316 926 3"), is_valid("bg_egn", "752316 926 9")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    month = number(v, 2, 4)
    century = np.where(month > 40, 2000, np.where(month > 20, 1800, 1900))
    inside = np.where(month > 40, month - 40, np.where(month > 20, month - 20, month))
    date = is_date(century + number(v, 0, 2), inside, number(v, 4, 6))
    return np.asarray(all_digits(chars) & date & (weighted_sum(v, (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10 == v[:, 9]))
