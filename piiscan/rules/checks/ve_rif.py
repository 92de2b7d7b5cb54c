"""Venezuelan tax number (RIF), issued by SENIAT.

A letter (V, E, J, P, G), eight digits, check digit: the letter counts 4, 8, 12, 16, 20, the digits have the weights
3 2 7 6 5 4 3 2; 11 less the sum modulo 11, 0 for 10 and 11.
http://www.seniat.gob.ve/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ve_rif", "V-11470283-4"), is_valid("ve_rif", "V-11470283-3")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10,)
_LETTER = np.zeros(256, dtype=np.int64)
_LETTER[np.frombuffer(b"VEJPG", dtype=np.uint8)] = (4, 8, 12, 16, 20)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    letter = _LETTER[chars[:, 0]]
    total = letter + weighted_sum(v[:, 1:], (3, 2, 7, 6, 5, 4, 3, 2))
    return np.asarray((letter > 0) & all_digits(chars[:, 1:]) & (-total % 11 % 10 == v[:, 9]))
