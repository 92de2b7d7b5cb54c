"""Japanese individual number (My Number), issued by municipalities.

Eleven digits with weights 6 … 2, 7 … 2 and a check digit by 11, where 10 becomes 0.
https://www.digital.go.jp/en/policies/mynumber

>>> from piiscan.rules.checks import is_valid
>>> is_valid("jp_my_number", "6214 9832 0257"), is_valid("jp_my_number", "6214 9832 0258")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (12,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    check = -weighted_sum(values, (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11 % 10
    return np.asarray(all_digits(chars) & (check == values[:, 11]))
