"""Lithuanian VAT number (PVM kodas), issued by the Valstybinė mokesčių inspekcija.

Nine digits (legal entities) or twelve (others), the last but one 1. Weights 1 … 9 repeating, sum modulo 11; where that
is 10, weights 3 … 9 1 2 repeating, 0 for 10 again.
https://www.vmi.lt/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("lt_pvm", "LT 119511515"), is_valid("lt_pvm", "LT 100001919018")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9, 12)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = v.shape[1] - 1
    first = weighted_sum(v, [i % 9 + 1 for i in range(width)]) % 11
    second = weighted_sum(v, [(i + 2) % 9 + 1 for i in range(width)]) % 11
    return np.asarray(
        all_digits(chars) & (v[:, width - 1] == 1) & (np.where(first == 10, second, first) % 10 == v[:, width])
    )
