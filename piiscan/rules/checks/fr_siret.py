"""French establishment number (SIRET), issued by INSEE: SIREN (nine digits) and five digits, Luhn over all fourteen.

La Poste (SIREN 356 000 000) ran out of Luhn numbers: there the sum of the digits is a multiple of 5. The SIREN passes
Luhn by itself.
https://www.insee.fr/fr/metadonnees/definition/c1841

>>> from piiscan.rules.checks import is_valid
>>> is_valid("fr_siret", "732 829 320 00074"), is_valid("fr_siret", "732 829 320 00075")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum, number

LENGTHS = (14,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    post = number(v, 0, 9) == 356000000
    total = np.where(post, v.sum(axis=1) % 5 == 0, luhn_sum(v) % 10 == 0)
    return np.asarray(all_digits(chars) & (luhn_sum(v[:, :9]) % 10 == 0) & total)
