"""US routing transit number of a bank, assigned by the American Bankers Association.

Nine digits, weights 3, 7, 1 repeated, a multiple of 10.
https://www.aba.com/about-us/routing-number

>>> from piiscan.rules.checks import is_valid
>>> is_valid("us_aba", "111000025"), is_valid("us_aba", "111000026")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    return np.asarray(all_digits(chars) & (weighted_sum(digits(chars), (3, 7, 1) * 3) % 10 == 0))
