"""Indian goods and services tax number of businesses, issued by the Goods and Services Tax Network.

State code, permanent account number, entity, Z, and Luhn's check over 36 characters.
https://www.gst.gov.in

>>> from piiscan.rules.checks import is_valid
>>> is_valid("in_gstin", "27AAPFU0939F1ZV"), is_valid("in_gstin", "27AAPFU0939F1ZO")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form

LENGTHS = (15,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    doubled = values[:, -2::-2] * 2
    total = values[:, ::-2].sum(axis=1) + (doubled // 36 + doubled % 36).sum(axis=1)
    return np.asarray(has_form(chars, "99AAAAA9999AXXX") & (total % 36 == 0))
