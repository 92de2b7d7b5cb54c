"""Bulgarian company number (ЕИК, БУЛСТАТ), issued by the Registry Agency; with BG before it the VAT number.

Nine digits: the first eight weighted 1 … 8, sum modulo 11; where that is 10, weighted 3 … 10 instead, 0 for 10.
https://www.registryagency.bg/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("bg_eik", "BG 175 074 752"), is_valid("bg_eik", "BG 175 074 751")
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
    first, second = weighted_sum(v, range(1, 9)) % 11, weighted_sum(v, range(3, 11)) % 11
    return np.asarray(all_digits(chars) & (np.where(first == 10, second, first) % 10 == v[:, 8]))
