"""Hungarian social security number (TAJ szám), issued by the Nemzeti Egészségbiztosítási Alapkezelő.

Nine digits, weights 3 7 repeating; the sum of eight modulo 10 is the check digit (Act XX of 1996, annex).
https://net.jogtar.hu/jogszabaly?docid=99600020.tv

>>> from piiscan.rules.checks import is_valid
>>> is_valid("hu_taj", "123 456 788"), is_valid("hu_taj", "123 456 789")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & (number(v, 0, 9) > 0) & (weighted_sum(v, (3, 7, 3, 7, 3, 7, 3, 7)) % 10 == v[:, 8])
    )
