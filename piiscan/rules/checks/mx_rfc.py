"""Mexican taxpayer code (RFC) of persons (13 characters) and organisations (12), issued by the SAT.

Name (four letters, three for organisations, & among them), date YYMMDD, two characters against homonyms, and a check
character: values in 0–9 A–N & O–Z, weights 13 … 2 from the right-aligned start, 11 less the sum modulo 11, A for 10.
https://www.sat.gob.mx/tramites/operacion/28753/obten-tu-rfc-con-la-clave-curp

>>> from piiscan.rules.checks import is_valid
>>> is_valid("mx_rfc", "GODE561231GR8"), is_valid("mx_rfc", "GODE561231GR9")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (12, 13)
_ORDER = np.zeros(256, dtype=np.int64)
_ORDER[np.frombuffer(b"0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ", dtype=np.uint8)] = np.arange(37)
_SPACE = 37


def compact(text: str) -> str:
    return "".join(c for c in text.upper() if c not in " -_")


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = chars.shape[1]
    ordered = _ORDER[chars[:, :-1]]
    pad = np.full((len(chars), 13 - width), _SPACE, dtype=np.int64)
    total = weighted_sum(np.column_stack([pad, ordered]), range(13, 1, -1))
    check = -total % 11
    last = np.where(chars[:, -1] == ord("A"), 10, v[:, -1])
    names = chars[:, : width - 9]
    letters = (((names >= 65) & (names <= 90)) | (names == ord("&"))).all(axis=1)
    start = width - 9
    date = is_date(2000 + number(v, start, start + 2), number(v, start + 2, start + 4), number(v, start + 4, start + 6))
    alnum = ((v[:, start + 6 :] >= 0) & (v[:, start + 6 :] <= 35)).all(axis=1)
    return np.asarray(letters & alnum & all_digits(chars[:, start : start + 6]) & date & (check == last))
