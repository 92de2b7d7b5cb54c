"""Hungarian tax identifier of persons (adóazonosító jel), issued by the Nemzeti Adó- és Vámhivatal.

8, days from 1867-01-01 to the birth date (five digits), a serial (three digits), and the sum of the digits weighted 1 …
9, modulo 11, as check digit; a remainder of 10 isn't issued (Act XX of 1996, annex).
https://net.jogtar.hu/jogszabaly?docid=99600020.tv

>>> from piiscan.rules.checks import is_valid
>>> is_valid("hu_tax_id", "8071592153"), is_valid("hu_tax_id", "8071592154")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (v[:, 0] == 8) & (weighted_sum(v, range(1, 10)) % 11 == v[:, 9]))
