"""Portuguese tax number (NIF), issued by the Autoridade Tributária e Aduaneira.

Nine digits, the first not 0; weights 9 … 2. The check digit is 11 less the sum modulo 11, and 0 for 10 and 11.
https://www.portaldasfinancas.gov.pt

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pt_nif", "PT 501 964 843"), is_valid("pt_nif", "PT 501 964 842")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    check = -weighted_sum(v, range(9, 1, -1)) % 11
    return np.asarray(all_digits(chars) & (v[:, 0] > 0) & (check % 10 == v[:, 8]))
