"""Spanish foreigner's identity number (NIE), issued by the Dirección General de la Policía.

X, Y or Z, seven digits and a letter: as in a DNI, with 0, 1 or 2 for the first letter.
https://www.interior.gob.es/opencms/es/servicios-al-ciudadano/tramites-y-gestiones/dni/calculo-del-digito-de-control-del-nif-nie/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("es_nie", "X-2482300-W"), is_valid("es_nie", "X-2482300-A")
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
    series = chars[:, 0].astype(np.int64) - ord("X")
    body = series * 10**7 + number(v, 1, 8)
    shape = all_digits(chars[:, 1:8]) & (series >= 0) & (series <= 2)
    return np.asarray(shape & (_LETTERS[body % 23] == chars[:, 8]))
