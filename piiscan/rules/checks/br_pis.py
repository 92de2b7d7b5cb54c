"""Brazilian social integration number (PIS, PASEP, NIS, NIT), issued by Caixa Econômica Federal and the INSS.

Eleven digits, weights 3 2 9 8 7 6 5 4 3 2; 11 less the sum modulo 11 is the check digit, 0 for 10 and 11.
https://www.caixa.gov.br/beneficios-trabalhador/pis/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("br_pis", "120.00000.00-4"), is_valid("br_pis", "120.00000.00-5")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & (v[:, 0] > 0) & (-weighted_sum(v, (3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) % 11 % 10 == v[:, 10])
    )
