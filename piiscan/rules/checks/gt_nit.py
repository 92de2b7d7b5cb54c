"""Guatemalan tax number (NIT), issued by the SAT.

Digits and a check character: weights 2, 3, 4 … from the right, 11 less the sum modulo 11, K for 10 and 0 for 11.
https://portal.sat.gob.gt/portal/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("gt_nit", "576937-K"), is_valid("gt_nit", "576937-0")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = tuple(range(2, 13))


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = v.shape[1] - 1
    check = -weighted_sum(v, range(width + 1, 1, -1)) % 11
    last = np.where(chars[:, width] == ord("K"), 10, v[:, width])
    return np.asarray(
        all_digits(chars[:, :width]) & (v[:, :width].sum(axis=1) > 0) & (v[:, width] != 10) & (check == last)
    )
