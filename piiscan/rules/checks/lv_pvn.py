"""Latvian company and VAT number of legal entities, issued by the Uzņēmumu reģistrs and the Valsts ieņēmumu dienests.

Eleven digits, the first above 3: weights 9 1 4 8 3 10 2 5 7 6 1, 3 modulo 11.
https://www.vid.gov.lv/en

>>> from piiscan.rules.checks import is_valid
>>> is_valid("lv_pvn", "LV 4000 3521 600"), is_valid("lv_pvn", "LV 4000 3521 601")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (11,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & (v[:, 0] > 3) & (weighted_sum(v, (9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1)) % 11 == 3)
    )
