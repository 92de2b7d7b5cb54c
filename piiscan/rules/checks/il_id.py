"""Israeli identity number of persons and number of companies.

Issued by the Population Authority and the Registrar of Companies.

Nine digits that pass Luhn; shorter ones are filled with zeros.
https://www.gov.il/en/departments/population_and_immigration_authority

>>> from piiscan.rules.checks import is_valid
>>> is_valid("il_id", "39337423"), is_valid("il_id", "39337424")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum

LENGTHS = (8, 9)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    return np.asarray(all_digits(chars) & (values.sum(axis=1) > 0) & (luhn_sum(values) % 10 == 0))
