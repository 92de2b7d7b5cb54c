"""Hungarian bank account number (pénzforgalmi jelzőszám, GIRO), defined by the Magyar Nemzeti Bank.

Bank and branch with a check digit (eight digits), then eight or sixteen digits, the last a check digit. Both parts have
the weights 9 7 3 1, over and over, and sums that are multiples of 10.
https://www.mnb.hu/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("hu_account", "11773016-11111018-00000000"), is_valid("hu_account", "11773016-11111019-00000000")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (16, 24)
_WEIGHTS = (9, 7, 3, 1) * 4


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    bank, account = weighted_sum(v[:, :8], _WEIGHTS), weighted_sum(v[:, 8:], _WEIGHTS)
    return np.asarray(all_digits(chars) & (number(v, 0, 8) > 0) & (bank % 10 == 0) & (account % 10 == 0))
