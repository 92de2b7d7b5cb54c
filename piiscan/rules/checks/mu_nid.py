"""Mauritian national identity number, issued by the Civil Status Division.

First letter of the surname, date of birth, serial; weights 14 … 2, seventeen minus the remainder is the last character.
https://mnis.govmu.org

>>> from piiscan.rules.checks import is_valid
>>> is_valid("mu_nid", "G2908851234562"), is_valid("mu_nid", "G2908851234563")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, is_date, number, weighted_sum

LENGTHS = (14,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    day = is_date(2000 + number(values, 5, 7), number(values, 3, 5), number(values, 1, 3))
    check = -weighted_sum(values, range(14, 1, -1)) % 17
    return np.asarray(has_form(chars, "A999999999999X") & day & (check == values[:, 13]))
