"""Global Trade Item Number (EAN-8, UPC-A, EAN-13, GTIN-14) on products, issued by GS1.

Weights 3 and 1 alternating leftwards from the digit before the check digit; the sum with the check digit is a multiple
of 10. https://www.gs1.org/services/how-calculate-check-digit-manually

>>> from piiscan.rules.checks import is_valid
>>> is_valid("gtin", "4006381333931"), is_valid("gtin", "4006381333932"), is_valid("gtin", "73513537")
(True, False, True)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits

LENGTHS = (8, 12, 13, 14)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    total = values[:, ::-2].sum(axis=1) + 3 * values[:, -2::-2].sum(axis=1)
    return np.asarray(all_digits(chars) & (total % 10 == 0))
