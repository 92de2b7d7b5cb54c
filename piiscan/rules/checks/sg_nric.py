"""Singapore identity number of citizens, residents (S, T) and foreigners (F, G, M).

Issued by the Immigration & Checkpoints Authority.

Seven digits with weights 2, 7, 6, 5, 4, 3, 2, and 4 more for T and G, 3 for M; the remainder by 11 picks the letter.
https://www.ica.gov.sg

>>> from piiscan.rules.checks import is_valid
>>> is_valid("sg_nric", "S1234567D"), is_valid("sg_nric", "S1234567E")
(True, False)
>>> is_valid("sg_nric", "F1234567N"), is_valid("sg_nric", "M1234567K")
(True, True)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, weighted_sum

LENGTHS = (9,)
_ADDED = np.zeros(256, dtype=np.int64)
_ADDED[list(b"TGM")] = (4, 4, 3)
_LETTERS = np.zeros((256, 11), dtype=np.uint8)
for _first, _table in ((b"ST", b"JZIHGFEDCBA"), (b"FG", b"XWUTRQPNMLK"), (b"M", b"XWUTRQPNJLK")):
    _LETTERS[list(_first)] = list(_table)


def valid(chars: Chars) -> Mask:
    total = weighted_sum(digits(chars)[:, 1:], (2, 7, 6, 5, 4, 3, 2)) + _ADDED[chars[:, 0]]
    return np.asarray(has_form(chars, "A9999999A") & (_LETTERS[chars[:, 0], total % 11] == chars[:, 8]))
