"""Polish identity card number (dowód osobisty), issued by the municipalities (gminy).

Three letters (10–35) and six digits, the first of them the check digit: weights 7 3 1 9 7 3 1 7 3, sum a multiple of
10. https://pl.wikipedia.org/wiki/Dow%C3%B3d_osobisty_w_Polsce

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pl_id_card", "ABA 300000"), is_valid("pl_id_card", "ABA 400000")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    letters = ((chars[:, :3] >= 65) & (chars[:, :3] <= 90)).all(axis=1)
    return np.asarray(letters & all_digits(chars[:, 3:]) & (weighted_sum(v, (7, 3, 1, 9, 7, 3, 1, 7, 3)) % 10 == 0))
