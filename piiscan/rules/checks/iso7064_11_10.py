"""ISO 7064 MOD 11,10: one check digit at the end of a number of decimal digits.

Behind the German VAT number, the Croatian OIB and the Serbian PIB.
https://www.iso.org/standard/31531.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("iso7064_11_10", "HR 33392005961"), is_valid("iso7064_11_10", "HR 33392005962")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, mod_11_10

LENGTHS = tuple(range(2, 41))
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & mod_11_10(v))
