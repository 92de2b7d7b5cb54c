"""Argentine bank account number (CBU), defined by the Banco Central de la República Argentina.

Bank and branch (seven digits), check digit, account (thirteen), check digit: weights 9 7 1 3 aligned to the right of
each block, a multiple of 10.
https://www.bcra.gob.ar/SistemasFinancierosYdePagos/Operatoria-CBU.asp

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ar_cbu", "2850590 9 4009041813520 1"), is_valid("ar_cbu", "2850590 8 4009041813520 1")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (22,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    first = weighted_sum(v, (7, 1, 3, 9, 7, 1, 3)) + v[:, 7]
    second = weighted_sum(v[:, 8:], (3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3)) + v[:, 21]
    return np.asarray(all_digits(chars) & (v[:, :8].sum(axis=1) > 0) & (first % 10 == 0) & (second % 10 == 0))
