"""Polish passport number, issued by the voivodes.

Two letters (10–35) and seven digits, the first of them the check digit: weights 7 3 9 1 7 3 1 7 3, sum a multiple of
10. https://www.consilium.europa.eu/prado/en/prado-documents/pol/index.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pl_passport", "ZS 0000177"), is_valid("pl_passport", "ZS 1000177")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    letters = ((chars[:, :2] >= 65) & (chars[:, :2] <= 90)).all(axis=1)
    return np.asarray(letters & all_digits(chars[:, 2:]) & (weighted_sum(v, (7, 3, 9, 1, 7, 3, 1, 7, 3)) % 10 == 0))
