"""Danish company number (CVR), issued by Erhvervsstyrelsen; with DK before it the VAT number.

Eight digits, the first not 0, weights 2 7 6 5 4 3 2 1, a multiple of 11.
https://datacvr.virk.dk/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("dk_cvr", "DK 13585628"), is_valid("dk_cvr", "DK 13585627")
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
    return np.asarray(all_digits(chars) & (v[:, 0] > 0) & (weighted_sum(v, (2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0))
