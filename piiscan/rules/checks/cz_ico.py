"""Czech and Slovak organisation number (IČO), issued by the statistical offices.

Eight digits, weights 8 … 2. The check digit is 11 less the sum modulo 11, with 10 as 0 and 11 as 1.
https://www.czso.cz/csu/res/registr_ekonomickych_subjektu

>>> from piiscan.rules.checks import is_valid
>>> is_valid("cz_ico", "25123891"), is_valid("cz_ico", "25123892")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (8,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    check = (11 - weighted_sum(v, range(8, 1, -1)) % 11) % 10
    return np.asarray(all_digits(chars) & (check == v[:, 7]))
