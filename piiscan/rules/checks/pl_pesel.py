"""Polish national identification number (PESEL), issued by the Ministerstwo Cyfryzacji.

Birth date YYMMDD (months 80, 20, 40 or 60 higher for the 1800s, 2000s, 2100s and 2200s), serial, check digit: weights
1 3 7 9 repeating and 1 for the last, sum a multiple of 10.
https://www.gov.pl/web/gov/czym-jest-numer-pesel

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pl_pesel", "44051401359"), is_valid("pl_pesel", "44051401358")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    month = number(v, 2, 4)
    century = np.take(np.array([1900, 2000, 2100, 2200, 1800]), month // 20, mode="clip")
    date = is_date(century + number(v, 0, 2), month % 20, number(v, 4, 6))
    return np.asarray(all_digits(chars) & date & (weighted_sum(v, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0))
