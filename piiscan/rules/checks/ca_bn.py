"""Canadian business number, issued by the Canada Revenue Agency; programme accounts add two letters and four digits.

The first nine digits pass Luhn.
https://www.canada.ca/en/revenue-agency/services/tax/businesses/topics/registering-your-business/business-registration-online-overview.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ca_bn", "123026635RC0001"), is_valid("ca_bn", "123456784RC0001")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, luhn_sum

LENGTHS = (9, 15)


def valid(chars: Chars) -> Mask:
    return np.asarray(has_form(chars, "999999999AA9999") & (luhn_sum(digits(chars[:, :9])) % 10 == 0))
