"""Indian electoral photo identity card number of voters, issued by the Election Commission of India.

Three letters and seven digits that pass Luhn.
https://voters.eci.gov.in

>>> from piiscan.rules.checks import is_valid
>>> is_valid("in_epic", "WKH1186253"), is_valid("in_epic", "WKH1186263")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, luhn_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    return np.asarray(has_form(chars, "AAA9999999") & (luhn_sum(digits(chars[:, 3:])) % 10 == 0))
