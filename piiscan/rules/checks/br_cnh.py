"""Brazilian driving licence number (CNH, número de registro), issued by SENATRAN.

Nine digits and two check digits: weights 9 … 1 and 1 … 9, sums modulo 11, 0 for 10; where the first is 10, the second
is 2 lower.
https://www.gov.br/transportes/pt-br/assuntos/transito/senatran

>>> from piiscan.rules.checks import is_valid
>>> is_valid("br_cnh", "00000001244"), is_valid("br_cnh", "00000001245")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    first = weighted_sum(v, range(9, 0, -1)) % 11
    over = first >= 10
    second = weighted_sum(v, range(1, 10)) % 11
    second = np.where(second >= 10, 0, np.where(over, second - 2, second))
    second = np.where(second < 0, second + 11, second)
    varied = (v != v[:, :1]).any(axis=1)
    return np.asarray(all_digits(chars) & varied & (np.where(over, 0, first) == v[:, 9]) & (second == v[:, 10]))
