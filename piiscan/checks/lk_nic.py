"""Sri Lankan identity card number, issued by the Department for Registration of Persons.

Birth year (two digits, four since 2016), day of the year (500 more for women), serial; older ones end in V or X. No check digit
is published, so only the day is tested. https://drp.gov.lk

>>> from piiscan.checks import is_valid
>>> is_valid("lk_nic", "198012304567"), is_valid("lk_nic", "198040004567")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.checks import Chars, Mask
from piiscan.checks.arithmetic import digits, has_form, number

LENGTHS = (10, 12)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    if chars.shape[1] == 12:
        ok, start = has_form(chars, "9" * 12), 4
    else:
        ok, start = has_form(chars, "999999999A") & np.isin(chars[:, 9], list(b"VX")), 2
    day = number(values, start, start + 3)
    return np.asarray(ok & (day % 500 >= 1) & (day % 500 <= 366) & (day < 1000))
