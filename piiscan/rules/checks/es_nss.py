"""Spanish social security number (número de afiliación, NUSS), issued by the Tesorería General de la Seguridad Social.

Province (two digits), number (eight), and two check digits: the number with the province before it, modulo 97; where
the number is below ten million it counts as seven digits.
https://www.seg-social.es/wps/portal/wss/internet/Trabajadores/Afiliacion/7332

>>> from piiscan.rules.checks import is_valid
>>> is_valid("es_nss", "28/12345678/40"), is_valid("es_nss", "28/12345678/41")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number

LENGTHS = (12,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    province, serial = number(v, 0, 2), number(v, 2, 10)
    whole = np.where(serial < 10**7, province * 10**7 + serial, province * 10**8 + serial)
    return np.asarray(all_digits(chars) & (whole % 97 == number(v, 10, 12)))
