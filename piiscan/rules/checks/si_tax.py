"""Slovenian tax number (davčna številka), issued by the Finančna uprava; with SI before it the VAT number.

Eight digits, the first not 0, weights 8 … 2. The check digit is 11 less the sum modulo 11, 0 for 10; 11 isn't issued.
https://www.fu.gov.si/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("si_tax", "SI 5022 3054"), is_valid("si_tax", "SI 5022 3055")
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
    check = 11 - weighted_sum(v, range(8, 1, -1)) % 11
    return np.asarray(all_digits(chars) & (v[:, 0] > 0) & (np.where(check == 10, 0, check) == v[:, 7]))
