"""Romanian personal code (cod numeric personal, CNP), issued by the Direcția Generală pentru Evidența Persoanelor.

Sex and century, birth date YYMMDD, county, serial, check digit: weights 2 7 9 1 4 6 3 5 8 2 7 9, sum modulo 11, 1 for
10. https://legislatie.just.ro/Public/DetaliiDocument/47283

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ro_cnp", "1630615123457"), is_valid("ro_cnp", "1630615123458")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (13,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    century = np.take(np.array([0, 1900, 1900, 1800, 1800, 2000, 2000, 2000, 2000, 2000]), v[:, 0], mode="clip")
    date = is_date(century + number(v, 1, 3), number(v, 3, 5), number(v, 5, 7))
    county = number(v, 7, 9)
    place = ((county >= 1) & (county <= 48)) | ((county >= 51) & (county <= 52)) | np.isin(county, (70, 80, 81, 82, 83))
    remainder = weighted_sum(v, (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return np.asarray(
        all_digits(chars) & (v[:, 0] > 0) & date & place & (np.where(remainder == 10, 1, remainder) == v[:, 12])
    )
