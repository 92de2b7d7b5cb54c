"""Serbian bank account number, defined by Narodna banka Srbije.

Bank (three digits), account (thirteen), two check digits: the number leaves 1 by 97 (ISO/IEC 7064, MOD 97-10).
https://www.nbs.rs/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("rs_account", "260-0056010016113-79"), is_valid("rs_account", "260-0056010016113-78")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, mod_97, number

LENGTHS = (18,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (number(v, 0, 3) > 99) & (mod_97(v.T) == 1))
