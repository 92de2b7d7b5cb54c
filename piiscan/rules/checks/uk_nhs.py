"""UK National Health Service number of patients in England, Wales and the Isle of Man.

Ten digits, weights 10 … 1, a multiple of 11.
https://www.datadictionary.nhs.uk/attributes/nhs_number.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("uk_nhs", "943 476 5919"), is_valid("uk_nhs", "943 476 5918")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    return np.asarray(all_digits(chars) & (weighted_sum(digits(chars), range(10, 0, -1)) % 11 == 0))
