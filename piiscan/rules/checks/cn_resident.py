"""Chinese resident identity number, issued by the Ministry of Public Security.

Region, date of birth, serial, and the check character of ISO/IEC 7064, MOD 11-2 (GB 11643).
https://openstd.samr.gov.cn

>>> from piiscan.rules.checks import is_valid
>>> is_valid("cn_resident", "360426199101010071"), is_valid("cn_resident", "360426199101010072")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, iso7064_11_2
from piiscan.rules.checks.arithmetic import digits, is_date, number

LENGTHS = (18,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    day = is_date(number(values, 6, 10), number(values, 10, 12), number(values, 12, 14))
    return np.asarray(iso7064_11_2.valid(chars) & day)
