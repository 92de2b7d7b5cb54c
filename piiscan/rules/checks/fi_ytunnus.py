"""Finnish business identity code (Y-tunnus), issued by the PRH and the Tax Administration.

FI and its digits are the VAT number.

Seven digits and a check digit: weights 7 9 10 5 8 4 2, 11 less the sum modulo 11, 0 for 11; 10 isn't issued.
https://www.ytj.fi/en/index/businessid.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("fi_ytunnus", "2077474-0"), is_valid("fi_ytunnus", "2077474-1")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (8,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & (number(v, 0, 8) > 0) & (-weighted_sum(v, (7, 9, 10, 5, 8, 4, 2)) % 11 == v[:, 7])
    )
