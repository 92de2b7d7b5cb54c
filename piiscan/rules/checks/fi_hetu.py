"""Finnish personal identity code (henkilötunnus, HETU), issued by the Digital and Population Data Services Agency.

Birth date DDMMYY, a sign for the century (+ 1800s; - and Y X W V U 1900s; A–F 2000s), individual number from 002, and a
check character: the nine digits modulo 31 in 0123456789ABCDEFHJKLMNPRSTUVWXY.
https://dvv.fi/en/personal-identity-code

>>> from piiscan.rules.checks import is_valid
>>> is_valid("fi_hetu", "131052-308T"), is_valid("fi_hetu", "131052-308U")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number

LENGTHS = (11,)
_CHECK = np.frombuffer(b"0123456789ABCDEFHJKLMNPRSTUVWXY", dtype=np.uint8)


def compact(text: str) -> str:
    return text.strip().upper()


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    sign = chars[:, 6]
    first = sign == ord("+")
    second = np.isin(sign, np.frombuffer(b"-YXWVU", dtype=np.uint8))
    third = np.isin(sign, np.frombuffer(b"ABCDEF", dtype=np.uint8))
    century = np.select([first, second, third], [1800, 1900, 2000], default=0)
    date = is_date(century + number(v, 4, 6), number(v, 2, 4), number(v, 0, 2))
    shape = all_digits(np.delete(chars, (6, 10), axis=1)) & (century > 0)
    whole = number(v, 0, 6) * 1000 + number(v, 7, 10)
    return np.asarray(shape & date & (number(v, 7, 10) >= 2) & (_CHECK[whole % 31] == chars[:, 10]))
