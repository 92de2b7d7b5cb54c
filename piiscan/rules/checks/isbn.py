"""International Standard Book Number (ISO 2108), issued by the International ISBN Agency; 10 digits until 2006, now 13.

Ten digits: weights 10 … 1, a multiple of 11, X meaning 10. Thirteen: prefix 978 or 979, weights 1 and 3, a multiple of
10. https://www.isbn-international.org/content/isbn-users-manual

>>> from piiscan.rules.checks import is_valid
>>> is_valid("isbn", "0-306-40615-2"), is_valid("isbn", "978-0-306-40615-7"), is_valid("isbn", "978-0-306-40615-8")
(True, True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, gtin
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (10, 13)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    if chars.shape[1] == 13:
        prefix = number(values, 0, 3)
        return np.asarray(gtin.valid(chars) & ((prefix == 978) | (prefix == 979)))
    last_is_x = chars[:, 9] == ord("X")
    values[:, 9] = np.where(last_is_x, 10, values[:, 9])
    ok = all_digits(chars[:, :9]) & (all_digits(chars[:, 9:]) | last_is_x)
    return np.asarray(ok & (weighted_sum(values, range(10, 0, -1)) % 11 == 0))
