"""Swiss old-age insurance number (AHV, NAVS13), issued by the Zentrale Ausgleichsstelle.

Thirteen digits that begin with 756, the last the check digit of an EAN-13: weights 1, 3 repeating, sum a multiple of
10. https://www.zas.admin.ch/zas/de/home/particuliers/nouveau-numero-avs.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ch_ahv", "756.9217.0769.85"), is_valid("ch_ahv", "756.9217.0769.84")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (13,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (number(v, 0, 3) == 756) & (weighted_sum(v, (1, 3) * 6 + (1,)) % 10 == 0))
