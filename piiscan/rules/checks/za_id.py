"""South African identity number, issued by the Department of Home Affairs.

Date of birth, serial, citizenship, a digit, Luhn's check digit; thirteen in all. Only the day is tested, as the century
isn't told. https://www.dha.gov.za

>>> from piiscan.rules.checks import is_valid
>>> is_valid("za_id", "7503305044089"), is_valid("za_id", "8503305044089")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, luhn_sum, number

LENGTHS = (13,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    # Of 1900 and 2000 only 2000 is a leap year: a 29 February passes for every year that may be one.
    day = is_date(2000 + number(values, 0, 2), number(values, 2, 4), number(values, 4, 6))
    return np.asarray(all_digits(chars) & day & (luhn_sum(values) % 10 == 0))
