"""South Korean resident registration number, issued by the Ministry of the Interior and Safety.

Date of birth, century and sex, place, serial and a check digit (weights 2 … 9, 2 … 5 by 11). Numbers given since
October 2020 are random after the seventh digit and may fail. https://www.mois.go.kr

>>> from piiscan.rules.checks import is_valid
>>> is_valid("kr_rrn", "971013-9019902"), is_valid("kr_rrn", "971013-9019903")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (13,)
_CENTURY = np.array([1800, 1900, 1900, 2000, 2000, 1900, 1900, 2000, 2000, 1800], dtype=np.int64)


def valid(chars: Chars) -> Mask:
    ok = all_digits(chars)
    values = np.where(ok[:, None], digits(chars), 0)
    day = is_date(_CENTURY[values[:, 6]] + number(values, 0, 2), number(values, 2, 4), number(values, 4, 6))
    check = (11 - weighted_sum(values, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10
    return np.asarray(ok & day & (number(values, 7, 9) <= 96) & (check == values[:, 12]))
