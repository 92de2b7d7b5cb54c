"""Luxembourg national identification number (matricule).

Issued by the Centre des technologies de l'information de l'État.

Birth date YYYYMMDD, a serial of three digits, and two check digits over the first eleven: Luhn's, then Verhoeff's.
https://guichet.public.lu/en/citoyens/citoyennete/registre-national/identification/demande-matricule.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("lu_matricule", "1893120105732"), is_valid("lu_matricule", "1893120105733")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, luhn, verhoeff
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number

LENGTHS = (13,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    date = is_date(number(v, 0, 4), number(v, 4, 6), number(v, 6, 8))
    second = verhoeff.valid(np.delete(chars, 11, axis=1))
    return np.asarray(all_digits(chars) & date & luhn.valid(chars[:, :12]) & second)
