"""Cypriot tax identification code, issued by the Tax Department; with CY before it the VAT number.

Eight digits, not beginning with 12, and a letter: digits in odd places count by a table, the others as they are; the
sum modulo 26 is the letter.
https://www.mof.gov.cy/mof/tax/taxdep.nsf

>>> from piiscan.rules.checks import is_valid
>>> is_valid("cy_tic", "CY-10259033P"), is_valid("cy_tic", "CY-10259033Z")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_alnum
from piiscan.rules.checks.arithmetic import all_digits, digits, number

LENGTHS = (9,)
_ODD = np.array([1, 0, 5, 7, 9, 13, 15, 17, 19, 21])


def compact(text: str) -> str:
    return compact_alnum(text).removeprefix("CY")


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    odd = np.take(_ODD, v[:, 0:8:2], mode="clip").sum(axis=1)
    letter = (odd + v[:, 1:8:2].sum(axis=1)) % 26
    return np.asarray(all_digits(chars[:, :8]) & (number(v, 0, 2) != 12) & (letter + 10 == v[:, 8]))
