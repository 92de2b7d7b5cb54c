"""New Zealand tax number of persons and companies, issued by Inland Revenue.

Seven or eight digits and a check digit; weights 3, 2, 7, 6, 5, 4, 3, 2 by 11, and if that gives 10 once more with 7, 4,
3, 2, 5, 2, 7, 6. https://www.ird.govt.nz/managing-my-tax/ird-numbers

>>> from piiscan.rules.checks import is_valid
>>> is_valid("nz_ird", "49-091-850"), is_valid("nz_ird", "49-091-851")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (8, 9)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    if chars.shape[1] == 8:
        values = np.hstack([np.zeros((len(values), 1), dtype=np.int64), values])
    issued = number(values, 0, 9)
    first = -weighted_sum(values, (3, 2, 7, 6, 5, 4, 3, 2)) % 11
    second = -weighted_sum(values, (7, 4, 3, 2, 5, 2, 7, 6)) % 11
    check = np.where(first == 10, second, first)
    return np.asarray(all_digits(chars) & (issued > 10_000_000) & (issued < 150_000_000) & (check == values[:, 8]))
