"""Dominican taxpayer number of organisations (RNC), issued by the DGII.

Nine digits, weights 7 9 8 6 5 4 3 2; the sum modulo 11 gives the check digit: 2 for 0, 1 for 1, else 11 less it.
https://dgii.gov.do/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("do_rnc", "1-01-85004-3"), is_valid("do_rnc", "1-01-85004-2")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    rest = weighted_sum(v, (7, 9, 8, 6, 5, 4, 3, 2)) % 11
    return np.asarray(all_digits(chars) & (v[:, 0] > 0) & ((10 - rest) % 9 + 1 == v[:, 8]))
