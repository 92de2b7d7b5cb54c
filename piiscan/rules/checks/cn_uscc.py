"""Chinese Unified Social Credit Code of companies and other bodies.

Issued by the State Administration for Market Regulation.

Eighteen characters out of 31 (no I, O, S, V, Z); the powers of 3 by 31 are the weights; a multiple of 31 (GB 32100).
The first two name who registers and what, the next six the region.
https://openstd.samr.gov.cn

>>> from piiscan.rules.checks import is_valid
>>> is_valid("cn_uscc", "91110000600037341L"), is_valid("cn_uscc", "91110000600037342L")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, weighted_sum

LENGTHS = (18,)
_WORTH = np.full(256, -1, dtype=np.int64)
_WORTH[list(b"0123456789ABCDEFGHJKLMNPQRTUWXY")] = range(31)
_WEIGHTS = tuple(pow(3, i, 31) for i in range(17))


def valid(chars: Chars) -> Mask:
    worth = _WORTH[chars]
    ok = (worth >= 0).all(axis=1) & all_digits(chars[:, 2:8])
    return np.asarray(ok & ((weighted_sum(worth, _WEIGHTS) + worth[:, 17]) % 31 == 0))
