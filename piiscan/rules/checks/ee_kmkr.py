"""Estonian VAT number (KMKR), issued by the Maksu- ja Tolliamet.

EE and nine digits, weights 3 7 1 repeating, a multiple of 10.

https://www.emta.ee/en/business-client/taxes-and-payment/value-added-tax

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ee_kmkr", "EE 100 931 558"), is_valid("ee_kmkr", "EE 100 594 103")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (weighted_sum(v, (3, 7, 1, 3, 7, 1, 3, 7, 1)) % 10 == 0))
