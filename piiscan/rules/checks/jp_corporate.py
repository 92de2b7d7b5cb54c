"""Japanese corporate number, issued by the National Tax Agency.

Check digit first: nine minus the remainder by 9 of the other twelve with weights 2, 1 from the left.
On invoices a T stands before it.
https://www.houjin-bangou.nta.go.jp/en/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("jp_corporate", "5-8356-7825-6246"), is_valid("jp_corporate", "2-8356-7825-6246")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (13, 14)


def valid(chars: Chars) -> Mask:
    number = chars[:, -13:]  # a T before it makes it the number of an issuer of invoices
    values = digits(number)
    ok = all_digits(number) & (9 - weighted_sum(values[:, 1:], (2, 1) * 6) % 9 == values[:, 0])
    return np.asarray(ok & (chars[:, 0] == ord("T")) if chars.shape[1] == 14 else ok)
