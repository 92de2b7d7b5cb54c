"""German pension insurance number (Rentenversicherungsnummer), issued by the Deutsche Rentenversicherung (VKVV § 4).

Area (two digits), birth date DDMMYY, first letter of the name at birth, serial (two digits), check digit. The day may
have 50 added. The letter counts as two digits; weights 2 1 2 5 7 1 2 1 2 1 2 1, digits of the products added up; the
last digit of the sum is the check digit.
https://www.gesetze-im-internet.de/vkvv/__4.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("de_social_security", "15 070649 C 103"), is_valid("de_social_security", "15 070649 C 104")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number

LENGTHS = (12,)
_WEIGHTS = np.array([2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1])


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    letter = chars[:, 8].astype(np.int64) - 64
    data = np.column_stack([v[:, :8], letter // 10, letter % 10, v[:, 9:11]])
    products = data * _WEIGHTS
    total = (products // 10 + products % 10).sum(axis=1)
    day = number(v, 2, 4)
    day = np.where(day > 50, day - 50, day)
    date = is_date(2000 + number(v, 6, 8), number(v, 4, 6), day)
    others = all_digits(np.delete(chars, 8, axis=1))
    return np.asarray((letter >= 1) & (letter <= 26) & others & date & (total % 10 == v[:, 11]))
