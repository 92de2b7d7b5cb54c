"""Check character of ISO/IEC 7064, MOD 11-2 (ORCID, ISNI), X meaning 10, for any length from 2 to 40.

https://support.orcid.org/hc/en-us/articles/360006897674

>>> from piiscan.rules.checks import is_valid
>>> is_valid("iso7064_11_2", "0000-0002-1825-0097"), is_valid("iso7064_11_2", "0000-0002-1825-0096")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits

LENGTHS = tuple(range(2, 41))


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    last_is_x = chars[:, -1] == ord("X")
    rest = np.zeros(len(chars), dtype=np.int64)
    for column in values[:, :-1].T:
        rest = (rest + column) * 2 % 11
    rest = (rest + np.where(last_is_x, 10, values[:, -1])) % 11
    return np.asarray(all_digits(chars[:, :-1]) & (all_digits(chars[:, -1:]) | last_is_x) & (rest == 1))
