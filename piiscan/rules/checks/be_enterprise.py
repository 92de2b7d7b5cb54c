"""Belgian enterprise and VAT number, issued by the Kruispuntbank van Ondernemingen / Banque-Carrefour des Entreprises.

Ten digits that begin with 0 or 1 (older ones nine, the 0 left out); the last two are 97 less the others modulo 97.
https://economie.fgov.be/en/themes/enterprises/crossroads-bank-enterprises

>>> from piiscan.rules.checks import is_valid
>>> is_valid("be_enterprise", "BE 0428.759.497"), is_valid("be_enterprise", "BE 0428.759.498")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, number

LENGTHS = (9, 10)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = v.shape[1]
    first = np.zeros(len(v), dtype=np.int64) if width == 9 else v[:, 0]
    body, key = number(v, 0, width - 2), number(v, width - 2, width)
    return np.asarray(all_digits(chars) & (first <= 1) & (body > 0) & (97 - body % 97 == key))
