"""Australian Tax File Number, issued by the Australian Taxation Office.

Nine digits with weights 1, 4, 3, 7, 5, 8, 6, 9, 10, or eight of older age with 10, 7, 8, 4, 6, 3, 5, 1: a multiple of
11. https://www.ato.gov.au/individuals-and-families/tax-file-number

>>> from piiscan.rules.checks import is_valid
>>> is_valid("au_tfn", "123 456 782"), is_valid("au_tfn", "123 456 789")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (8, 9)


def valid(chars: Chars) -> Mask:
    weights = (1, 4, 3, 7, 5, 8, 6, 9, 10) if chars.shape[1] == 9 else (10, 7, 8, 4, 6, 3, 5, 1)
    return np.asarray(all_digits(chars) & (weighted_sum(digits(chars), weights) % 11 == 0))
