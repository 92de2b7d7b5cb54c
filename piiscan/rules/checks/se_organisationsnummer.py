"""Swedish organisation number, issued by Bolagsverket and Skatteverket; as VAT number SE before and 01 after it.

Ten digits, the third at least 2 (so that it is no birth month), Luhn's check digit.
https://www.skatteverket.se/foretag/drivaforetag/startaochregistrera/organisationsnummer.4.361dc8c15312eff6fd235d1.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("se_organisationsnummer", "123456-7897"), is_valid("se_organisationsnummer", "123456-7896")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum, number

LENGTHS = (10, 12)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    suffix = np.ones(len(v), dtype=np.bool_) if v.shape[1] == 10 else number(v, 10, 12) > 0
    return np.asarray(all_digits(chars) & (v[:, 0] > 0) & (v[:, 2] >= 2) & suffix & (luhn_sum(v[:, :10]) % 10 == 0))
