"""Taiwanese identity number of citizens and residents, issued by the Ministry of the Interior.

A letter for the place stands for two digits (weights 1, 9), then 1, 2, 8, 9 or for older resident certificates a letter
A to D, seven digits (weights 8 … 1 in all) and a check digit: a multiple of 10. https://www.ris.gov.tw

>>> from piiscan.rules.checks import is_valid
>>> is_valid("tw_id", "A123456789"), is_valid("tw_id", "A123456788")
(True, False)
>>> is_valid("tw_id", "A800000014"), is_valid("tw_id", "AC01234567")
(True, True)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, weighted_sum

LENGTHS = (10,)
_PLACE = np.full(256, -1, dtype=np.int64)
_PLACE[list(b"ABCDEFGHJKLMNPQRSTUVXYWZIO")] = range(10, 36)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    place, second = _PLACE[chars[:, 0]], chars[:, 1]
    known = np.isin(second, list(b"1289")) | ((second >= ord("A")) & (second <= ord("D")))
    values[:, 1] = np.where(second >= ord("A"), _PLACE[second] % 10, values[:, 1])
    total = place // 10 + place % 10 * 9 + weighted_sum(values[:, 1:], (8, 7, 6, 5, 4, 3, 2, 1, 1))
    return np.asarray(has_form(chars, "AX99999999") & known & (place >= 0) & (total % 10 == 0))
