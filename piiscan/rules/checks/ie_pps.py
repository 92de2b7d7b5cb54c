"""Irish Personal Public Service number, issued by the Department of Social Protection.

Seven digits with weights 8 … 2, a check letter, and since 2013 a second letter (A, B, H) with weight 9; the sum by 23
is the letter. Older second letters (T, W, X) don't count.
https://www.gov.ie/en/department-of-social-protection/services/get-a-personal-public-service-pps-number/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ie_pps", "1234567FA"), is_valid("ie_pps", "1234567GA")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, weighted_sum

LENGTHS = (8, 9)
_LETTERS = np.frombuffer(b"WABCDEFGHIJKLMNOPQRSTUV", dtype=np.uint8)
_SECOND = np.zeros(256, dtype=np.int64)
_SECOND[list(b"ABH")] = (1, 2, 8)


def valid(chars: Chars) -> Mask:
    ok = has_form(chars, "9999999AA")
    total = weighted_sum(digits(chars), (8, 7, 6, 5, 4, 3, 2))
    if chars.shape[1] == 9:
        total = total + 9 * _SECOND[chars[:, 8]]
        ok &= np.isin(chars[:, 8], list(b"ABHTWX"))
    return np.asarray(ok & (chars[:, 7] == _LETTERS[total % 23]))
