"""Russian taxpayer number (ИНН) of organisations (ten digits) and persons (twelve), issued by the Federal Tax Service.

Ten digits: weights 2 4 10 3 5 9 4 6 8, sum modulo 11, 0 for 10. Twelve digits have two check digits, weights
7 2 4 10 3 5 9 4 6 8 and 3 7 2 4 10 3 5 9 4 6 8.
https://www.nalog.gov.ru/rn77/fl/interest/inn/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ru_inn", "123456789047"), is_valid("ru_inn", "123456789037")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10, 12)
_WEIGHTS = (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = v.shape[1]
    known = weighted_sum(v, _WEIGHTS[12 - width :]) % 11 % 10 == v[:, width - 1]
    if width == 12:
        known &= weighted_sum(v, _WEIGHTS[1:]) % 11 % 10 == v[:, 10]
    return np.asarray(all_digits(chars) & (v[:, :10].sum(axis=1) > 0) & known)
