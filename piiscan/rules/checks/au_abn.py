"""Australian Business Number, issued by the Australian Business Register.

Eleven digits, the first lessened by one; weights 10, 1, 3, 5 … 19; a multiple of 89.
https://abr.business.gov.au/Help/AbnFormat

>>> from piiscan.rules.checks import is_valid
>>> is_valid("au_abn", "51 824 753 556"), is_valid("au_abn", "51 824 753 557")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    total = weighted_sum(values, (10, *range(1, 20, 2))) - 10
    return np.asarray(all_digits(chars) & (values[:, 0] > 0) & (total % 89 == 0))
