"""Hong Kong identity card number, issued by the Immigration Department.

One or two letters, six digits and a check character: weights 9 … 1 (a missing letter counts 36), a multiple of 11, A
meaning 10. https://www.immd.gov.hk/eng/services/hkid.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("hk_id", "A123456(3)"), is_valid("hk_id", "A123456(4)")
(True, False)
>>> is_valid("hk_id", "AB987654(3)")
True
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, weighted_sum

LENGTHS = (8, 9)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    ok = has_form(chars, "AA999999X" if chars.shape[1] == 9 else "A999999X") & (values[:, -1] <= 10)
    if chars.shape[1] == 8:
        values = np.hstack([np.full((len(values), 1), 36, dtype=np.int64), values])
    return np.asarray(ok & (weighted_sum(values, range(9, 0, -1)) % 11 == 0))
