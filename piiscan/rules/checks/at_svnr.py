"""Austrian social insurance number (Sozialversicherungsnummer).

Issued by the Dachverband der Sozialversicherungsträger.

Serial (three digits, the first not 0), check digit, birth date DDMMYY (months 13 to 15 where serials ran out). Weights
3 7 9 · 5 8 4 2 1 6 around the check digit, which is the sum modulo 11; a remainder of 10 isn't issued.
https://www.sozialversicherung.at/cdscontent/?contentid=10007.820902

>>> from piiscan.rules.checks import is_valid
>>> is_valid("at_svnr", "1237 010180"), is_valid("at_svnr", "1238 010180")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    total = weighted_sum(v, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6))
    return np.asarray(all_digits(chars) & (v[:, 0] != 0) & (total % 11 == v[:, 3]))
