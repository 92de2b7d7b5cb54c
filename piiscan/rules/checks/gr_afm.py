"""Greek tax number (ΑΦΜ), issued by the Independent Authority for Public Revenue; with EL before it the VAT number.

Nine digits, weights 256, 128, … 2; the sum modulo 11 is the check digit, 0 for 10.
https://www.aade.gr/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("gr_afm", "EL 094259216"), is_valid("gr_afm", "EL 094259217")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (9,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    total = weighted_sum(v, (256, 128, 64, 32, 16, 8, 4, 2))
    return np.asarray(all_digits(chars) & (number(v, 0, 9) > 0) & (total % 11 % 10 == v[:, 8]))
