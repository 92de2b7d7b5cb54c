"""French social security number (NIR, numéro de sécurité sociale), issued by INSEE.

Sex, year, month, department, commune, order (13 characters) and a key: 97 less the rest of the number by 97. In Corsica
the department is 2A or 2B, which count as 19 and 18.
https://www.insee.fr/fr/metadonnees/definition/c1409

>>> from piiscan.rules.checks import is_valid
>>> is_valid("fr_nir", "2 95 10 99 126 111 93"), is_valid("fr_nir", "2 95 10 99 126 111 94")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, number

LENGTHS = (15,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    corsica = (chars[:, 5] == ord("2")) & ((chars[:, 6] == ord("A")) | (chars[:, 6] == ord("B")))
    plain = v.copy()
    plain[corsica, 5] = 1
    plain[corsica, 6] = np.where(chars[corsica, 6] == ord("A"), 9, 8)
    digital = ((plain >= 0) & (plain <= 9)).all(axis=1)
    return np.asarray(digital & (97 - number(plain, 0, 13) % 97 == number(plain, 13, 15)))
