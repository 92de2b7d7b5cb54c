"""Norwegian bank account number (kontonummer), defined by Finans Norge.

Eleven digits: bank, type, account, check digit; weights 5 4 3 2 7 6 5 4 3 2, 11 less the sum modulo 11, 0 for 11.
https://no.wikipedia.org/wiki/Kontonummer

>>> from piiscan.rules.checks import is_valid
>>> is_valid("no_account", "8601 11 17947"), is_valid("no_account", "8601 11 17949")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (-weighted_sum(v, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11 == v[:, 10]))
