"""North Macedonian tax number (ЕДБ), issued by the Public Revenue Office; with MK before it the VAT number.

Thirteen digits, weights 7 6 5 4 3 2 twice; 11 less the sum modulo 11 is the check digit, 0 for 10 and 11.
https://www.ujp.gov.mk/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("mk_edb", "MK4020990116747"), is_valid("mk_edb", "MK4020990116746")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (13,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & (-weighted_sum(v, (7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11 % 10 == v[:, 12])
    )
