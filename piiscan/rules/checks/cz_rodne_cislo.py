"""Czech and Slovak birth number (rodné číslo), issued by the ministries of the interior.

Birth date YYMMDD (months 50 higher for women, 20 more since 2004 where serials ran out), a serial, and a check digit
since 1954: the first nine digits modulo 11, 0 for 10.
https://www.mvcr.cz/clanek/rady-a-sluzby-dokumenty-rodne-cislo.aspx

>>> from piiscan.rules.checks import is_valid
>>> is_valid("cz_rodne_cislo", "710319/2745"), is_valid("cz_rodne_cislo", "710319/2746")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    year = number(v, 0, 2)
    year += np.where(year < 54, 2000, 1900)
    date = is_date(year, number(v, 2, 4) % 50 % 20, number(v, 4, 6))
    return np.asarray(all_digits(chars) & date & (number(v, 0, 9) % 11 % 10 == v[:, 9]))
