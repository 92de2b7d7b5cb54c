"""Ecuadorian identity number (cédula), issued by the Registro Civil.

Province (01–24, 30 or 50), third digit up to 6, serial, Luhn's check digit: ten digits.
https://www.registrocivil.gob.ec/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ec_cedula", "171430710-3"), is_valid("ec_cedula", "171430710-4")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum, number

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    province = number(v, 0, 2)
    known = ((province >= 1) & (province <= 24)) | (province == 30) | (province == 50)
    return np.asarray(all_digits(chars) & known & (v[:, 2] <= 6) & (luhn_sum(v) % 10 == 0))
