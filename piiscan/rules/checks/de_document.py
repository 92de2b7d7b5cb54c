"""Serial number of a German identity card or passport with its check digit.

Issued by municipal authorities since 2007/2010.

Nine letters and digits and the check digit of ICAO Doc 9303: weights 7, 3, 1 repeating, letters A = 10 … Z = 35, sum
modulo 10. A `D` for the nationality may follow.
https://www.icao.int/publications/doc-series/doc-9303

>>> from piiscan.rules.checks import is_valid
>>> is_valid("de_document", "L01X00T471"), is_valid("de_document", "L01X00T472")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10, 11)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    documented = (weighted_sum(v, (7, 3, 1, 7, 3, 1, 7, 3, 1)) - v[:, 9]) % 10 == 0
    nationality = (chars[:, 10:] == ord("D")).all(axis=1)
    return np.asarray(all_digits(chars[:, 9:10]) & documented & nationality)
