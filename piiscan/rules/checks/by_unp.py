"""Belarusian payer number (УНП), issued by the Ministry of Taxes and Duties.

Nine digits, or for persons two letters and seven digits; letters as 10–35, except the second, which counts by its place
in ABCEHKMOPT. Weights 29 23 19 17 13 7 5 3, sum modulo 11; 10 isn't issued.
https://www.nalog.gov.by/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("by_unp", "200988541"), is_valid("by_unp", "200988542")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)
_SECOND = np.full(256, -1, dtype=np.int64)
_SECOND[np.frombuffer(b"ABCEHKMOPT", dtype=np.uint8)] = np.arange(10)
_FIRST = np.frombuffer(b"ABCEHKM", dtype=np.uint8)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    personal = np.isin(chars[:, 0], _FIRST) & (_SECOND[chars[:, 1]] >= 0)
    company = all_digits(chars[:, :2]) & (v[:, 0] >= 1) & (v[:, 0] <= 7)
    second = np.where(personal, _SECOND[chars[:, 1]], v[:, 1])
    values = np.column_stack([v[:, 0], second, v[:, 2:8]])
    check = weighted_sum(values, (29, 23, 19, 17, 13, 7, 5, 3)) % 11
    return np.asarray((personal | company) & all_digits(chars[:, 2:]) & (check == v[:, 8]))
