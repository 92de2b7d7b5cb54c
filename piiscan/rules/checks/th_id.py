"""Thai number of persons (first digit 1 to 8) and of companies (first digit 0).

Issued by the Ministries of the Interior and of Commerce.

Twelve digits with weights 13 … 2 and a check digit by 11.
https://www.bora.dopa.go.th

>>> from piiscan.rules.checks import is_valid
>>> is_valid("th_id", "1-2345-45678-78-1"), is_valid("th_id", "1-2345-45678-78-9")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (13,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    return np.asarray(all_digits(chars) & ((11 - weighted_sum(values, range(13, 1, -1)) % 11) % 10 == values[:, 12]))
