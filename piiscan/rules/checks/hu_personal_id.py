"""Hungarian personal identifier (személyi azonosító), issued by the Belügyminisztérium.

Sex and century (1–8), birth date YYMMDD, serial, check digit: the digits weighted 1 … 10, or 10 … 1 for those born
since 1997, modulo 11; a remainder of 10 isn't issued (Act XX of 1996, annex).
https://net.jogtar.hu/jogszabaly?docid=99600020.tv

>>> from piiscan.rules.checks import is_valid
>>> is_valid("hu_personal_id", "1-800101-0007"), is_valid("hu_personal_id", "1-800101-0008")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    sex, year = v[:, 0], number(v, 1, 3)
    # 1 and 2: 1900s; 3 and 4: 2000s, or the 1800s for people long dead.
    full = np.where((sex == 3) | (sex == 4), 2000, 1900) + year
    recent = full >= 1997
    total = np.where(recent, weighted_sum(v, range(10, 0, -1)), weighted_sum(v, range(1, 11)))
    return np.asarray(
        all_digits(chars)
        & (sex >= 1)
        & (sex <= 8)
        & is_date(full, number(v, 3, 5), number(v, 5, 7))
        & (total % 11 == v[:, 10])
    )
