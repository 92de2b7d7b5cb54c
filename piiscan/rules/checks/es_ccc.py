"""Spanish bank account number (código cuenta cliente, CCC), defined by the Consejo Superior Bancario.

Bank and branch (eight digits), two check digits, account (ten digits). Each check digit closes a sum modulo 11 with the
weights 1 2 4 8 5 10 9 7 3 6, over 00 and bank and branch, and over the account; 10 becomes 1.
https://es.wikipedia.org/wiki/C%C3%B3digo_cuenta_cliente

>>> from piiscan.rules.checks import is_valid
>>> is_valid("es_ccc", "1234-1234-16 1234567890"), is_valid("es_ccc", "1234-1234-17 1234567890")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import Ints, all_digits, digits, weighted_sum

LENGTHS = (20,)
_WEIGHTS = (1, 2, 4, 8, 5, 10, 9, 7, 3, 6)


def _check(total: Ints) -> Ints:
    digit = -total % 11
    return np.asarray(np.where(digit == 10, 1, digit))


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    first = _check(weighted_sum(v, _WEIGHTS[2:]))
    second = _check(weighted_sum(v[:, 10:], _WEIGHTS))
    return np.asarray(all_digits(chars) & (first == v[:, 8]) & (second == v[:, 9]))
