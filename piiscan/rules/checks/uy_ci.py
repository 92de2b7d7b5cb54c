"""Uruguayan identity number (cédula de identidad), issued by the Dirección Nacional de Identificación Civil.

Seven digits and a check digit: weights 2 9 8 7 6 3 4, 10 less the sum modulo 10, 0 for 10.
https://www.gub.uy/ministerio-interior/dnic

>>> from piiscan.rules.checks import is_valid
>>> is_valid("uy_ci", "1.234.567-2"), is_valid("uy_ci", "1.234.567-3")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (8,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & (v.sum(axis=1) > 0) & ((weighted_sum(v, (2, 9, 8, 7, 6, 3, 4)) + v[:, 7]) % 10 == 0)
    )
