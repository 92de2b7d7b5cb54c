"""Iranian national code of persons, issued by the National Organization for Civil Registration.

Nine digits with weights 10 … 2; the remainder by 11 is the last, or eleven minus it is where it is above 1.
https://www.sabteahval.ir

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ir_national", "0013542419"), is_valid("ir_national", "0013542418")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    rest = weighted_sum(values, range(10, 1, -1)) % 11
    same = (values == values[:, :1]).all(axis=1)
    return np.asarray(all_digits(chars) & ~same & (np.where(rest < 2, rest, 11 - rest) == values[:, 9]))
