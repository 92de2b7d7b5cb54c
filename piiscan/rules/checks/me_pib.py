"""Montenegrin tax number (PIB), issued by the Poreska uprava.

Eight digits, weights 8 … 2; 11 less the sum modulo 11 is the check digit, 0 for 10 and 11.
https://www.gov.me/poreskauprava

>>> from piiscan.rules.checks import is_valid
>>> is_valid("me_pib", "02655284"), is_valid("me_pib", "02655283")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (8,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (-weighted_sum(v, range(8, 1, -1)) % 11 % 10 == v[:, 7]))
