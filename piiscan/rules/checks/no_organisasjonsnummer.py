"""Norwegian organisation number, issued by Brønnøysundregistrene; with MVA after it where registered for VAT.

Nine digits, weights 3 2 7 6 5 4 3 2; 11 less the sum modulo 11 is the check digit, 0 for 11; 10 isn't issued.
https://www.brreg.no/om-oss/registrene-vare/om-enhetsregisteret/organisasjonsnummeret/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("no_organisasjonsnummer", "NO 988 077 917 MVA"), is_valid("no_organisasjonsnummer", "NO 988 077 918 MVA")
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
    return np.asarray(all_digits(chars) & (v[:, 0] > 0) & (-weighted_sum(v, (3, 2, 7, 6, 5, 4, 3, 2)) % 11 == v[:, 8]))
