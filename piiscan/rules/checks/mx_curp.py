"""Mexican population code (CURP), issued by RENAPO.

Name (four letters), birth date YYMMDD, sex, state, consonants, a character that is a digit for those born before 2000
and a
letter after, and a check digit: values in 0–9 A–N Ñ O–Z, weights 18 … 2, 10 less the sum modulo 10.
https://www.gob.mx/curp/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("mx_curp", "BOXW310820HNERXN09"), is_valid("mx_curp", "BOXW310820HNERXN08")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (18,)
_ORDER = np.zeros(256, dtype=np.int64)
_ORDER[np.frombuffer(b"0123456789ABCDEFGHIJKLMN", dtype=np.uint8)] = np.arange(24)
# Ñ, which RENAPO writes as X, takes place 24.
_ORDER[np.frombuffer(b"OPQRSTUVWXYZ", dtype=np.uint8)] = np.arange(25, 37)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    total = weighted_sum(_ORDER[chars], range(18, 1, -1))
    earlier = (chars[:, 16] >= 48) & (chars[:, 16] <= 57)
    date = is_date(np.where(earlier, 1900, 2000) + number(v, 4, 6), number(v, 6, 8), number(v, 8, 10))
    names = np.delete(chars, (4, 5, 6, 7, 8, 9, 16, 17), axis=1)
    letters = ((names >= 65) & (names <= 90)).all(axis=1)
    middle = earlier | ((chars[:, 16] >= 65) & (chars[:, 16] <= 90))
    plain = all_digits(chars[:, [4, 5, 6, 7, 8, 9, 17]])
    return np.asarray(letters & middle & plain & date & (-total % 10 == v[:, 17]))
