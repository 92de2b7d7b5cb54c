"""Slovak VAT number (IČ DPH), issued by the Finančná správa.

SK and ten digits, the first not 0, the third one of 2, 3, 4, 7, 8, 9; a multiple of 11.
https://www.financnasprava.sk/sk/podnikatelia/dane/dan-z-pridanej-hodnoty

>>> from piiscan.rules.checks import is_valid
>>> is_valid("sk_vat", "SK 202 274 96 19"), is_valid("sk_vat", "SK 202 274 96 18")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, number

LENGTHS = (10,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & (v[:, 0] > 0) & np.isin(v[:, 2], (2, 3, 4, 7, 8, 9)) & (number(v, 0, 10) % 11 == 0)
    )
