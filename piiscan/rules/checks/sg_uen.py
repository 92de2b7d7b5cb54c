"""Singapore Unique Entity Number of businesses and other bodies.

Issued by the Accounting and Corporate Regulatory Authority.

Businesses: 8 digits and a letter; companies: year, 5 digits and a letter; others: R, S or T, year, type, 4 digits and
a letter. https://www.uen.gov.sg/ueninternet/faces/pages/admin/aboutUEN.jspx

>>> from piiscan.rules.checks import is_valid
>>> is_valid("sg_uen", "00192200M"), is_valid("sg_uen", "00192200K")
(True, False)
>>> is_valid("sg_uen", "197401143C"), is_valid("sg_uen", "S16FC0121D")
(True, True)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import Ints, digits, has_form, weighted_sum

LENGTHS = (9, 10)
_ALPHABET = b"ABCDEFGHJKLMNPQRSTUVWX0123456789"
_WORTH = np.full(256, -1, dtype=np.int64)
_WORTH[list(_ALPHABET)] = range(32)


def _letters(table: bytes, rest: Ints) -> Chars:
    return np.frombuffer(table, dtype=np.uint8)[rest]


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    if chars.shape[1] == 9:
        total = weighted_sum(values, (10, 4, 9, 3, 8, 2, 7, 1))
        return np.asarray(has_form(chars, "99999999A") & (_letters(b"XMKECAWLJDB", total % 11) == chars[:, 8]))
    company = _letters(b"ZKCMDNERGWH", weighted_sum(values, (10, 8, 6, 4, 9, 7, 5, 3, 1)) % 11) == chars[:, 9]
    worth = _WORTH[chars]
    other = _letters(_ALPHABET, (weighted_sum(worth, (4, 3, 5, 3, 10, 2, 2, 5, 7)) - 5) % 11) == chars[:, 9]
    other &= has_form(chars, "A99AA9999A") & (worth >= 0).all(axis=1)
    return np.asarray((has_form(chars, "999999999A") & company) | other)
