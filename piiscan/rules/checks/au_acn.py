"""Australian Company Number, issued by the Australian Securities and Investments Commission.

Nine digits; the first eight with weights 8 … 1 and the last make a multiple of 10.
https://asic.gov.au/for-business/registering-a-company/steps-to-register-a-company/australian-company-numbers/australian-company-number-digit-check/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("au_acn", "004 085 616"), is_valid("au_acn", "004 085 617")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    return np.asarray(all_digits(chars) & (weighted_sum(digits(chars), (8, 7, 6, 5, 4, 3, 2, 1, 1)) % 10 == 0))
