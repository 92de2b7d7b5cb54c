"""Paraguayan taxpayer number (RUC), issued by the DNIT.

Up to eight digits and a check digit: weights 2, 3, 4 … from the right, 11 less the sum modulo 11, 0 for 10 and 11.
https://www.dnit.gov.py/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("py_ruc", "80028061-0"), is_valid("py_ruc", "80028061-1")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = tuple(range(5, 10))


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = v.shape[1] - 1
    return np.asarray(
        all_digits(chars) & (v.sum(axis=1) > 0) & (-weighted_sum(v, range(width + 1, 1, -1)) % 11 % 10 == v[:, width])
    )
