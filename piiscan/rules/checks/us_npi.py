"""US National Provider Identifier of health-care providers, issued by the Centers for Medicare & Medicaid Services.

Ten digits, the first 1 or 2; Luhn with 80840 (health, United States) written before, which adds 24 to the sum.
https://www.cms.gov/regulations-and-guidance/administrative-simplification/nationalprovidentstand

>>> from piiscan.rules.checks import is_valid
>>> is_valid("us_npi", "1234567893"), is_valid("us_npi", "1234567894")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    first = (values[:, 0] == 1) | (values[:, 0] == 2)
    return np.asarray(all_digits(chars) & first & ((luhn_sum(values) + 24) % 10 == 0))
