"""Ecuadorian taxpayer number (RUC), issued by the SRI.

Thirteen digits. People: the cédula and an establishment. Public bodies (third digit 6): weights 3 2 7 6 5 4 3 2 1
modulo
11. Organisations (third digit 9): weights 4 3 2 7 6 5 4 3 2 1 modulo 11.
https://www.sri.gob.ec/RUC

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ec_ruc", "1792060346-001"), is_valid("ec_ruc", "1792060347-001")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, ec_cedula
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (13,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    province, third = number(v, 0, 2), v[:, 2]
    known = ((province >= 1) & (province <= 24)) | (province == 30) | (province == 50)
    public = (weighted_sum(v, (3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0) & (number(v, 9, 13) > 0)
    company = (weighted_sum(v, (4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0) & (number(v, 10, 13) > 0)
    person = ec_cedula.valid(chars[:, :10]) & (number(v, 10, 13) > 0)
    return np.asarray(
        all_digits(chars)
        & known
        & np.select([third < 6, third == 6, third == 9], [person, public | person, public | company], False)
    )
