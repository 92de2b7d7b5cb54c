"""Belgian national register number, also BIS number, issued by the Rijksregister / Registre national.

Birth date YYMMDD (months 20 or 40 higher in BIS numbers), a serial, and 97 less the first nine digits modulo 97, with a
2 before them for those born since 2000.
https://www.ibz.rrn.fgov.be/fr/registre-national/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("be_nn", "85.07.30-033 28"), is_valid("be_nn", "85.07.30-033 29")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    serial, key = number(v, 0, 9), number(v, 9, 11)
    month = number(v, 2, 4)
    known = (month <= 12) | ((month >= 20) & (month <= 32)) | ((month >= 40) & (month <= 52))
    born = (97 - serial % 97 == key) | (97 - (2_000_000_000 + serial) % 97 == key)
    return np.asarray(all_digits(chars) & known & (number(v, 4, 6) <= 31) & born)
