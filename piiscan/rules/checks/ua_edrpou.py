"""Ukrainian organisation number (ЄДРПОУ), issued by the State Statistics Service.

Eight digits: weights 1 … 7, or 7 1 … 6 where the first digit is 3, 4 or 5; sum modulo 11; where that is 10, each weight
2 higher, 0 for 10 again.
https://usr.minjust.gov.ua/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ua_edrpou", "32855961"), is_valid("ua_edrpou", "32855968")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (8,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    middle = (v[:, 0] >= 3) & (v[:, 0] <= 5)
    first = np.where(middle, weighted_sum(v, (7, 1, 2, 3, 4, 5, 6)), weighted_sum(v, range(1, 8))) % 11
    second = np.where(middle, weighted_sum(v, (9, 3, 4, 5, 6, 7, 8)), weighted_sum(v, range(3, 10))) % 11
    return np.asarray(
        all_digits(chars) & (number(v, 0, 8) > 0) & (np.where(first == 10, second, first) % 10 == v[:, 7])
    )
