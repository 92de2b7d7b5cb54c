"""Portuguese social security number (NISS), issued by the Instituto da Segurança Social.

Eleven digits, the first 1 (people) or 2 (organisations); the first ten weighted 29 23 19 17 13 11 7 5 3 2. The check
digit is 9 less the sum modulo 10.
https://www.seg-social.pt/pedido-de-niss

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pt_niss", "10000000199"), is_valid("pt_niss", "10000000190")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    total = weighted_sum(v, (29, 23, 19, 17, 13, 11, 7, 5, 3, 2))
    return np.asarray(all_digits(chars) & (9 - total % 10 == v[:, 10]))
