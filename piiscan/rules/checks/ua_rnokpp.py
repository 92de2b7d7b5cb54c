"""Ukrainian taxpayer number of persons (РНОКПП, formerly ІПН), issued by the State Tax Service.

Days since 1899-12-31 to the birth date (five digits), serial, check digit: weights −1 5 7 9 4 6 10 5 7, sum modulo 11,
0 for 10.
https://tax.gov.ua/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ua_rnokpp", "1759013776"), is_valid("ua_rnokpp", "1759013770")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars)
        & (number(v, 0, 10) > 0)
        & (weighted_sum(v, (-1, 5, 7, 9, 4, 6, 10, 5, 7)) % 11 % 10 == v[:, 9])
    )
