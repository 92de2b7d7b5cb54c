"""German health insurance number (Krankenversichertennummer, KVNR).

Issued by the Vertrauensstelle Krankenversichertennummer.

A letter, eight digits and a check digit. The letter counts as two digits (A = 01 … Z = 26); the ten digits are
weighted 1, 2, 1, 2, …, the digits of the products added up, and the last digit of the sum is the check digit.
https://www.gkv-datenaustausch.de/kvnr/kvnr.jsp

>>> from piiscan.rules.checks import is_valid
>>> is_valid("de_health_insurance", "A123456780"), is_valid("de_health_insurance", "A123456789")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    letter = chars[:, 0].astype(np.int64) - 64
    data = np.column_stack([letter // 10, letter % 10, v[:, 1:9]])
    products = data * np.array([1, 2] * 5)
    total = (products // 10 + products % 10).sum(axis=1)
    return np.asarray((letter >= 1) & (letter <= 26) & all_digits(chars[:, 1:]) & (total % 10 == v[:, 9]))
