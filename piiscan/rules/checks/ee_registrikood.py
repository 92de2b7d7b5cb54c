"""Estonian company code (registrikood), issued by the Äriregister.

Eight digits that begin with 1, 7, 8 or 9: weights 1 … 7, sum modulo 11; where that is 10, weights 3 … 9, 0 for 10
again. https://ariregister.rik.ee/eng

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ee_registrikood", "12345678"), is_valid("ee_registrikood", "12345679")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (8,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    first, second = weighted_sum(v, range(1, 8)) % 11, weighted_sum(v, range(3, 10)) % 11
    return np.asarray(
        all_digits(chars) & np.isin(v[:, 0], (1, 7, 8, 9)) & (np.where(first == 10, second, first) % 10 == v[:, 7])
    )
