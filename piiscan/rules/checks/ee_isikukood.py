"""Estonian personal code (isikukood) and Lithuanian personal code (asmens kodas), issued by the population registers.

Sex and century, birth date YYMMDD, serial, check digit: weights 1 … 9 1, sum modulo 11; where that is 10, weights
3 … 9 1 2 3, 0 for 10 again.
https://www.siseministeerium.ee/en/population-register

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ee_isikukood", "36805280109"), is_valid("ee_isikukood", "36805280108")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    date = is_date(1800 + (v[:, 0] - 1) // 2 * 100 + number(v, 1, 3), number(v, 3, 5), number(v, 5, 7))
    first = weighted_sum(v, (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    second = weighted_sum(v, (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11
    return np.asarray(
        all_digits(chars)
        & (v[:, 0] >= 1)
        & (v[:, 0] <= 8)
        & date
        & (np.where(first == 10, second, first) % 10 == v[:, 10])
    )
