"""Peruvian identity number (DNI) with its check character, issued by RENIEC.

Eight digits, weights 3 2 7 6 5 4 3 2; the sum modulo 11 picks the character out of 65432110987, or on older cards out
of KJIHGFEDCBA.
https://www.gob.pe/reniec

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pe_dni", "10117410-2"), is_valid("pe_dni", "10117410-3")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)
_DIGITS = np.frombuffer(b"65432110987", dtype=np.uint8)
_LETTERS = np.frombuffer(b"KJIHGFEDCBA", dtype=np.uint8)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    rest = weighted_sum(v, (3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return np.asarray(all_digits(chars[:, :8]) & ((_DIGITS[rest] == chars[:, 8]) | (_LETTERS[rest] == chars[:, 8])))
