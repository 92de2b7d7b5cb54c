"""German lifelong physician number (lebenslange Arztnummer), issued by the Kassenärztliche Vereinigungen.

Six digits, a check digit, and two digits for the field of practice. The six are weighted 4, 9, 4, 9, 4, 9; the check
digit makes the sum a multiple of 10.
https://hub.kbv.de/display/AWS/10.1.2+LANR

>>> from piiscan.rules.checks import is_valid
>>> is_valid("de_lanr", "123456601"), is_valid("de_lanr", "123456701")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    passes = (weighted_sum(v, (4, 9, 4, 9, 4, 9)) + v[:, 6]) % 10 == 0
    return np.asarray(all_digits(chars) & passes & v[:, :6].any(axis=1))  # zeros before a count are no number
