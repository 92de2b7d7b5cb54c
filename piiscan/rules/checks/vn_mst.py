"""Vietnamese tax number of persons and companies, issued by the General Department of Taxation.

Ten digits, weights 31, 29, 23, 19, 17, 13, 7, 5, 3, ten minus the remainder by 11 is the last; branches add three
digits. https://www.gdt.gov.vn

>>> from piiscan.rules.checks import is_valid
>>> is_valid("vn_mst", "0100233488"), is_valid("vn_mst", "0100233480")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (10, 13)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    check = 10 - weighted_sum(values, (31, 29, 23, 19, 17, 13, 7, 5, 3)) % 11
    ok = all_digits(chars) & (number(values, 2, 9) > 0) & (check == values[:, 9])
    return np.asarray(ok & (number(values, 10, 13) > 0) if chars.shape[1] == 13 else ok)
