"""Swedish personal identity number (personnummer), also co-ordination number (samordningsnummer).

Issued by Skatteverket.

Birth date YYMMDD or YYYYMMDD (the day 60 higher in co-ordination numbers), serial, and Luhn's check digit over the
last ten digits.
https://www.skatteverket.se/privat/folkbokforing/personnummer.4.3810a01c150939e893f18c29.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("se_personnummer", "880320-0016"), is_valid("se_personnummer", "880320-0018")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, luhn_sum, number

LENGTHS = (10, 12)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    # Without the century a 29 February counts in every fourth year.
    year = number(v, 0, 4) if v.shape[1] == 12 else 2000 + number(v, 0, 2)
    short = v[:, -10:]
    day = number(short, 4, 6)
    date = is_date(year, number(short, 2, 4), np.where(day > 60, day - 60, day))
    return np.asarray(all_digits(chars) & date & (luhn_sum(short) % 10 == 0))
