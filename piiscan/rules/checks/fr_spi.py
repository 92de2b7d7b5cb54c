"""French personal tax number (numéro fiscal de référence, SPI).

Issued by the Direction générale des Finances publiques.

Thirteen digits, the first 0 to 3. The last three are the first ten modulo 511.
https://www.impots.gouv.fr/particulier/questions/comment-obtenir-ou-trouver-un-numero-fiscal

>>> from piiscan.rules.checks import is_valid
>>> is_valid("fr_spi", "30 23 217 600 053"), is_valid("fr_spi", "30 23 217 600 054")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number

LENGTHS = (13,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (v[:, 0] <= 3) & (number(v, 0, 10) % 511 == number(v, 10, 13)))
