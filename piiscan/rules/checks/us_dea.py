"""US Drug Enforcement Administration registration number of prescribers and pharmacies.

Two letters (or a letter and a 9) and seven digits: digits 1, 3, 5 plus twice digits 2, 4, 6 end in digit 7.
https://www.deadiversion.usdoj.gov/drugreg/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("us_dea", "AB1234563"), is_valid("us_dea", "AB1234564")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)[:, 2:]
    return np.asarray(has_form(chars, "AX9999999") & (weighted_sum(values, (1, 2, 1, 2, 1, 2)) % 10 == values[:, 6]))
