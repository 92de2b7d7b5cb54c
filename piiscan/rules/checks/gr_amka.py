"""Greek social security number (ΑΜΚΑ), issued by ΗΔΙΚΑ.

Birth date DDMMYY, five digits, the last Luhn's check digit.
https://www.amka.gr/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("gr_amka", "01013099997"), is_valid("gr_amka", "01013099998")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, luhn_sum, number

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    # The century isn't in the number: 29 February counts in every fourth year.
    date = is_date(2000 + number(v, 4, 6), number(v, 2, 4), number(v, 0, 2))
    return np.asarray(all_digits(chars) & date & (luhn_sum(v) % 10 == 0))
