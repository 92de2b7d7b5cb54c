"""Moldovan identification number of organisations (IDNO) and persons (IDNP), issued by the Agenția Servicii Publice.

Thirteen digits, weights 7 3 1 repeating; the sum modulo 10 is the check digit.
https://www.asp.gov.md/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("md_idno", "1008600038413"), is_valid("md_idno", "1008600038412")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (13,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (v[:, 0] > 0) & (weighted_sum(v, (7, 3, 1) * 4) % 10 == v[:, 12]))
