"""Uruguayan taxpayer number (RUT), issued by the DGI.

Type (01–22), six digits, 001, check digit: weights 4 3 2 9 8 7 6 5 4 3 2, 11 less the sum modulo 11, 0 for 11; 10 isn't
issued.
https://www.gub.uy/direccion-general-impositiva/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("uy_rut", "21-100342-001-7"), is_valid("uy_rut", "21-100342-001-8")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (12,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    kind = number(v, 0, 2)
    shape = (kind >= 1) & (kind <= 22) & (number(v, 2, 8) > 0) & (number(v, 8, 11) == 1)
    return np.asarray(
        all_digits(chars) & shape & (-weighted_sum(v, (4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) % 11 == v[:, 11])
    )
