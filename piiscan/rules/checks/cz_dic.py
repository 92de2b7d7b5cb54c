"""Czech tax and VAT number (DIČ), issued by the Finanční správa.

CZ and an organisation's IČO, a person's birth number, or nine digits that begin with 6 and have a check digit of their
own.
https://www.financnisprava.cz/cs/dane/dane/dan-z-pridane-hodnoty

>>> from piiscan.rules.checks import is_valid
>>> is_valid("cz_dic", "CZ 25123891"), is_valid("cz_dic", "CZ 25123890")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits, cz_ico, cz_rodne_cislo
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (8, 9, 10)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    if v.shape[1] == 8:
        return np.asarray((v[:, 0] != 9) & cz_ico.valid(chars))
    if v.shape[1] == 10:
        return np.asarray(cz_rodne_cislo.valid(chars))
    check = (8 - (10 - weighted_sum(v[:, 1:], range(8, 1, -1)) % 11) % 11) % 10
    return np.asarray(all_digits(chars) & (v[:, 0] == 6) & (check == v[:, 8]))
