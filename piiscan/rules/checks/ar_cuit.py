"""Argentine tax and labour number (CUIT, CUIL), issued by ARCA and ANSES.

Type (two digits), document number (eight), check digit: weights 5 4 3 2 7 6 5 4 3 2, 11 less the sum modulo 11, 0 for
11; for 10 the type changes, or 9 is given.
https://www.argentina.gob.ar/anses/cuil

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ar_cuit", "20-05536168-2"), is_valid("ar_cuit", "20-05536168-3")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    check = -weighted_sum(v, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    types = np.isin(number(v, 0, 2), (20, 23, 24, 25, 26, 27, 30, 33, 34, 50, 51, 55))
    return np.asarray(all_digits(chars) & types & (np.where(check == 10, 9, check) == v[:, 10]))
