"""South Korean business registration number, issued by the National Tax Service.

Ten digits; weights 1, 3, 7, 1, 3, 7, 1, 3, 5, and the tens of five times the ninth once more: with the last a multiple
of 10. https://www.nts.go.kr

>>> from piiscan.rules.checks import is_valid
>>> is_valid("kr_brn", "124-81-00998"), is_valid("kr_brn", "124-81-00997")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    total = weighted_sum(values, (1, 3, 7, 1, 3, 7, 1, 3, 5, 1)) + values[:, 8] * 5 // 10
    return np.asarray(all_digits(chars) & (total % 10 == 0))
