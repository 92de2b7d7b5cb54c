"""Personal health number of British Columbia, issued by Health Insurance BC.

Ten digits, the first a 9; digits 2 to 9 with weights 2, 4, 8, 5, 10, 9, 7, 3; eleven minus the remainder is the last.
https://www2.gov.bc.ca/gov/content/health/health-drug-coverage/msp/bc-residents/personal-health-identification

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ca_bc_phn", "9698 658 215"), is_valid("ca_bc_phn", "9698 648 215")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    rest = weighted_sum(values[:, 1:], (2, 4, 8, 5, 10, 9, 7, 3)) % 11
    return np.asarray(all_digits(chars) & (values[:, 0] == 9) & ((11 - rest) % 11 == values[:, 9]))
