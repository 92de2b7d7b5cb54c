"""Bulgarian personal number of a foreigner (ЛНЧ), issued by the Ministry of the Interior.

Ten digits, weights 21 19 17 13 11 9 7 3 1; the sum modulo 10 is the check digit.
https://www.mvr.bg/migration

>>> from piiscan.rules.checks import is_valid
>>> is_valid("bg_lnch", "7111042925"), is_valid("bg_lnch", "7111042922")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (weighted_sum(v, (21, 19, 17, 13, 11, 9, 7, 3, 1)) % 10 == v[:, 9]))
