"""Mexican bank account number (CLABE), defined by the Asociación de Bancos de México.

Bank and place (six digits), account (eleven), check digit: weights 3 7 1 repeating, each product modulo 10, sum with
the check digit a multiple of 10.
https://www.banxico.org.mx/servicios/d/%7B0DE0044F-662D-09D2-C8B3-4F1A8E43655F%7D.pdf

>>> from piiscan.rules.checks import is_valid
>>> is_valid("mx_clabe", "032180000118359719"), is_valid("mx_clabe", "032180000118359718")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (18,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & ((weighted_sum(v, (3, 7, 1) * 5 + (3, 7)) + v[:, 17]) % 10 == 0))
