"""Czech and Slovak bank account number, defined by decree 169/2011 Sb. and by Národná banka Slovenska.

A prefix of up to six digits, a number of two to ten, and the bank's code of four: 19-2000145399/0800. Prefix and number
each have a sum, with the weights 10 5 8 4 2 1 and 6 3 7 9 10 5 8 4 2 1, that is a multiple of 11.
https://www.cnb.cz/cs/platebni-styk/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("cz_account", "19-2000145399/0800"), is_valid("cz_account", "19-2000145398/0800")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (20,)
_NUMBER = (6, 3, 7, 9, 10, 5, 8, 4, 2, 1)
_PREFIX = (10, 5, 8, 4, 2, 1)


def compact(text: str) -> str:
    account, _, bank = text.partition("/")
    prefix, _, number = account.rpartition("-")
    return compact_digits(prefix).zfill(6) + compact_digits(number).zfill(10) + compact_digits(bank)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    ok = all_digits(chars) & (number(v, 6, 16) > 9) & (number(v, 16, 20) > 0)
    return np.asarray(ok & (weighted_sum(v, _PREFIX) % 11 == 0) & (weighted_sum(v[:, 6:], _NUMBER) % 11 == 0))
