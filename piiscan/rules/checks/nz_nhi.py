"""New Zealand National Health Index number of patients, issued by Health New Zealand.

Three letters (never I, O), four digits of which the last checks by 11; or since 2019 two digits, a letter, and a letter
that checks by 23. https://www.tewhatuora.govt.nz/health-services-and-programmes/digital-health/national-health-index

>>> from piiscan.rules.checks import is_valid
>>> is_valid("nz_nhi", "ZAC5361"), is_valid("nz_nhi", "ZAC5362")
(True, False)
>>> is_valid("nz_nhi", "ZBN77VL"), is_valid("nz_nhi", "ZBN77VM")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import has_form, weighted_sum

LENGTHS = (7,)
_ALPHABET = b"ABCDEFGHJKLMNPQRSTUVWXYZ"
_WORTH = np.full(256, -1, dtype=np.int64)
_WORTH[list(b"0123456789")] = range(10)
_WORTH[list(_ALPHABET)] = range(1, 25)


def valid(chars: Chars) -> Mask:
    worth = _WORTH[chars]
    total = weighted_sum(worth, (7, 6, 5, 4, 3, 2))
    old = has_form(chars, "AAA9999") & (total % 11 != 0) & ((11 - total % 11) % 10 == worth[:, 6])
    new = has_form(chars, "AAA99AA") & (23 - total % 23 == worth[:, 6])
    return np.asarray((worth >= 0).all(axis=1) & (old | new))
