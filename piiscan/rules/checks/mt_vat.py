"""Maltese VAT number, issued by the Commissioner for Tax and Customs.

MT and eight digits, the first not 0: weights 3 4 6 7 8 9, and the last two digits as they are, a multiple of 37.
https://cfr.gov.mt/en/vat

>>> from piiscan.rules.checks import is_valid
>>> is_valid("mt_vat", "MT 1167-9112"), is_valid("mt_vat", "MT 1167-9113")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (8,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (v[:, 0] > 0) & (weighted_sum(v, (3, 4, 6, 7, 8, 9, 10, 1)) % 37 == 0))
