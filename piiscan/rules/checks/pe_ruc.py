"""Peruvian taxpayer number (RUC), issued by SUNAT.

Eleven digits that begin with 10, 15, 17 (people) or 20 (organisations): weights 5 4 3 2 7 6 5 4 3 2, 11 less the sum
modulo 11, 0 for 10 and 1 for 11.
https://orientacion.sunat.gob.pe/registro-unico-de-contribuyentes-ruc

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pe_ruc", "20512333797"), is_valid("pe_ruc", "20512333798")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    check = (11 - weighted_sum(v, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11) % 10
    return np.asarray(all_digits(chars) & np.isin(number(v, 0, 2), (10, 15, 16, 17, 20)) & (check == v[:, 10]))
