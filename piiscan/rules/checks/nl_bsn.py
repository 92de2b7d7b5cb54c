"""Dutch citizen service number (burgerservicenummer, BSN), issued by the Rijksdienst voor Identiteitsgegevens.

Nine digits, weighted 9 8 7 6 5 4 3 2 and −1: the sum is a multiple of 11 (the "elfproef").
https://www.rvig.nl/bsn

>>> from piiscan.rules.checks import is_valid
>>> is_valid("nl_bsn", "1112.22.333"), is_valid("nl_bsn", "1112.52.333")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    total = weighted_sum(v, (9, 8, 7, 6, 5, 4, 3, 2, -1))
    return np.asarray(all_digits(chars) & (v.sum(axis=1) > 0) & (total % 11 == 0))
