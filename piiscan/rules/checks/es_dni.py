"""Spanish national identity number (DNI, NIF of Spaniards), issued by the Ministerio del Interior.

Eight digits and a letter out of TRWAGMYFPDXBNJZSQVHLCKE at the place of the number modulo 23. NIFs of people without a
DNI begin with K, L or M and seven digits.
https://www.interior.gob.es/opencms/es/servicios-al-ciudadano/tramites-y-gestiones/dni/calculo-del-digito-de-control-del-nif-nie/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("es_dni", "54362315-K"), is_valid("es_dni", "54362315-L")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number

LENGTHS = (9,)
_LETTERS = np.frombuffer(b"TRWAGMYFPDXBNJZSQVHLCKE", dtype=np.uint8)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    special = np.isin(chars[:, 0], np.frombuffer(b"KLM", dtype=np.uint8))
    body = np.where(special, number(v, 1, 8), number(v, 0, 8))
    shape = all_digits(chars[:, 1:8]) & (special | all_digits(chars[:, :1]))
    return np.asarray(shape & (_LETTERS[body % 23] == chars[:, 8]))
