"""Polish bank account number (numer rachunku bankowego, NRB), kept by Narodowy Bank Polski.

Two check digits, bank and branch (eight digits), account (sixteen): the number is the IBAN without its PL, and so, with
2521 for PL and the check digits moved to its end, leaves 1 by 97 (ISO/IEC 7064, MOD 97-10).
https://nbp.pl/systemy-platnicze/numeracja-rachunkow-bankowych/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pl_nrb", "61 1090 1014 0000 0712 1981 2874"), is_valid("pl_nrb", "61 1090 1014 0000 0712 1981 2875")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, mod_97, number

LENGTHS = (26,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    country = [np.full(len(v), digit, dtype=np.int64) for digit in (2, 5, 2, 1)]
    printed = number(v, 0, 2)
    ok = all_digits(chars) & (printed >= 2) & (printed <= 98)
    return np.asarray(ok & (mod_97([*v.T[2:], *country, *v.T[:2]]) == 1))
