"""French VAT number (numéro de TVA intracommunautaire), issued by the Service des impôts des entreprises.

FR, a key of two characters and the SIREN (which passes Luhn, Monaco's 000 numbers excepted). A numeric key is the SIREN
followed by 12, modulo 97; in the newer form one or both are letters (I and O left out) and count modulo 11.
https://www.impots.gouv.fr/professionnel/questions/comment-est-constitue-un-numero-de-tva-intracommunautaire

>>> from piiscan.rules.checks import is_valid
>>> is_valid("fr_tva", "FR 40 303265045"), is_valid("fr_tva", "FR 41 303265045")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_alnum
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum, number

LENGTHS = (11,)
_ORDER = np.full(256, -1, dtype=np.int64)
_ORDER[np.frombuffer(b"0123456789ABCDEFGHJKLMNPQRSTUVWXYZ", dtype=np.uint8)] = np.arange(34)


def compact(text: str) -> str:
    return compact_alnum(text).removeprefix("FR")


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    siren = number(v, 2, 11)
    first, second = _ORDER[chars[:, 0]], _ORDER[chars[:, 1]]
    numeric = (first <= 9) & (second <= 9)
    old = first * 10 + second == (siren * 100 + 12) % 97
    key = np.where(first <= 9, first * 24 + second - 10, first * 34 + second - 100)
    new = (siren + 1 + key // 11) % 11 == key % 11
    known = all_digits(chars[:, 2:]) & (first >= 0) & (second >= 0)
    registered = (luhn_sum(v[:, 2:]) % 10 == 0) | (siren < 1_000_000)
    return np.asarray(known & registered & np.where(numeric, old, new))
