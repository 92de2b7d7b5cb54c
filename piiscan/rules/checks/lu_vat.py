"""Luxembourg VAT number, issued by the Administration de l'enregistrement, des domaines et de la TVA.

LU and eight digits; the last two are the first six modulo 89.
https://pfi.public.lu/fr/professionnel/tva.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("lu_vat", "LU 150 274 42"), is_valid("lu_vat", "LU 150 274 43")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, number

LENGTHS = (8,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (number(v, 0, 6) % 89 == number(v, 6, 8)))
