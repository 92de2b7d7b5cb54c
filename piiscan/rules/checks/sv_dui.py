"""Salvadoran identity number (DUI), issued by the Registro Nacional de las Personas Naturales.

Eight digits and a check digit: weights 9 … 2, 10 less the sum modulo 10, 0 for 10.
https://www.rnpn.gob.sv/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("sv_dui", "00016297-5"), is_valid("sv_dui", "00016297-6")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & (number(v, 0, 8) > 0) & ((weighted_sum(v, range(9, 1, -1)) + v[:, 8]) % 10 == 0)
    )
