"""Colombian tax number (NIT) with its check digit, issued by the DIAN.

Weights 3 7 13 17 19 23 29 37 41 43 47 53 59 67 71 from the right; 11 less the sum modulo 11, with 11 as 0 and 10 as 1.
https://www.dian.gov.co/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("co_nit", "213.123.432-1"), is_valid("co_nit", "213.123.432-2")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = tuple(range(8, 17))
_WEIGHTS = (71, 67, 59, 53, 47, 43, 41, 37, 29, 23, 19, 17, 13, 7, 3)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = v.shape[1] - 1
    rest = weighted_sum(v, _WEIGHTS[15 - width :]) % 11
    return np.asarray(all_digits(chars) & (v.sum(axis=1) > 0) & (np.where(rest > 1, 11 - rest, rest) == v[:, width]))
