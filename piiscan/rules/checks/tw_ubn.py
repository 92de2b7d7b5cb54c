"""Taiwanese Unified Business Number, issued by the Ministry of Finance.

Eight digits, weights 1, 2, 1, 2, 1, 2, 4, 1; the digits of the products sum to a multiple of 10, or one less where the
seventh is 7. https://www.fia.gov.tw

>>> from piiscan.rules.checks import is_valid
>>> is_valid("tw_ubn", "00501503"), is_valid("tw_ubn", "00501502")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits

LENGTHS = (8,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    products = values * np.array((1, 2, 1, 2, 1, 2, 4, 1), dtype=np.int64)
    total = (products // 10 + products % 10).sum(axis=1)
    return np.asarray(all_digits(chars) & ((total % 10 == 0) | ((values[:, 6] == 7) & (total % 10 == 9))))
