"""Russian personal insurance account number (СНИЛС), issued by the Social Fund.

Nine digits, weights 9 … 1; the sum modulo 101 gives two check digits, 00 for 100. Numbers up to 001-001-998 have none
and fail here.
https://sfr.gov.ru/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ru_snils", "112-233-445 95"), is_valid("ru_snils", "112-233-445 96")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    check = weighted_sum(v, range(9, 0, -1)) % 101 % 100
    return np.asarray(all_digits(chars) & (number(v, 0, 9) > 1001998) & (check == number(v, 9, 11)))
