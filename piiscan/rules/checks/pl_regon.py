"""Polish business register number (REGON), issued by Główny Urząd Statystyczny.

Nine digits (weights 8 9 2 3 4 5 6 7) or fourteen (a nine-digit number first; weights 2 4 8 5 0 9 7 3 6 1 2 4 8); the
sum modulo 11 is the check digit, 0 for 10.
https://bip.stat.gov.pl/dzialalnosc-statystyki-publicznej/rejestr-regon/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pl_regon", "192598184"), is_valid("pl_regon", "192598183")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9, 14)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    known = weighted_sum(v, (8, 9, 2, 3, 4, 5, 6, 7)) % 11 % 10 == v[:, 8]
    if v.shape[1] == 14:
        known &= weighted_sum(v, (2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8)) % 11 % 10 == v[:, 13]
    return np.asarray(all_digits(chars) & known)
