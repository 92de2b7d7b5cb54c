"""Brazilian vehicle register number (RENAVAM), issued by SENATRAN.

Eleven digits, weights 3 2 9 8 7 6 5 4 3 2; ten times the sum modulo 11 is the check digit, 0 for 10.
https://www.gov.br/transportes/pt-br/assuntos/transito/senatran/renavam

>>> from piiscan.rules.checks import is_valid
>>> is_valid("br_renavam", "00000000191"), is_valid("br_renavam", "00000000192")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    total = weighted_sum(v, (3, 2, 9, 8, 7, 6, 5, 4, 3, 2))
    return np.asarray(all_digits(chars) & (number(v, 0, 11) > 0) & (total * 10 % 11 % 10 == v[:, 10]))
