"""UK Unique Taxpayer Reference, issued by HM Revenue & Customs.

Check digit first, then nine digits with weights 6, 7, 8, 9, 10, 5, 4, 3, 2; the remainder by 11 picks the check digit.
https://www.gov.uk/find-utr-number

>>> from piiscan.rules.checks import is_valid
>>> is_valid("uk_utr", "1955839661"), is_valid("uk_utr", "2955839661")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10,)
_CHECK = np.array([2, 1, 9, 8, 7, 6, 5, 4, 3, 2, 1], dtype=np.int64)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    rest = weighted_sum(values[:, 1:], (6, 7, 8, 9, 10, 5, 4, 3, 2)) % 11
    return np.asarray(all_digits(chars) & (_CHECK[rest] == values[:, 0]))
