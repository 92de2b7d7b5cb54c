"""Salvadoran tax number (NIT), issued by the Ministerio de Hacienda.

Municipality, date DDMMYY, serial (three digits), check digit. Serials up to 100: weights 14 … 2, sum modulo 11, 0 for
10;
above: weights 2 7 6 5 4 3 2 7 6 5 4 3 2, 11 less the sum modulo 11, 0 for 10 and 11.
https://portaldgii.mh.gob.sv/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("sv_nit", "0614-050707-104-8"), is_valid("sv_nit", "0614-050707-104-9")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (14,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    old = weighted_sum(v, range(14, 1, -1)) % 11 % 10
    new = -weighted_sum(v, (2, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11 % 10
    check = np.where(number(v, 10, 13) <= 100, old, new)
    return np.asarray(all_digits(chars) & np.isin(v[:, 0], (0, 1, 9)) & (check == v[:, 13]))
