"""Chilean tax and identity number (RUT, RUN), issued by the Registro Civil and the SII.

Six to eight digits and a check character: weights 2 … 7 repeating from the right, 11 less the sum modulo 11, K for 10
and 0 for 11.
https://www.registrocivil.cl/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("cl_rut", "12.531.909-2"), is_valid("cl_rut", "12.531.909-3")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (7, 8, 9)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = v.shape[1] - 1
    check = -weighted_sum(v, (3, 2, 7, 6, 5, 4, 3, 2)[8 - width :]) % 11
    last = np.where(chars[:, width] == ord("K"), 10, v[:, width])
    return np.asarray(
        all_digits(chars[:, :width]) & (v[:, :width].sum(axis=1) > 0) & (check == last) & (v[:, width] != 10)
    )
