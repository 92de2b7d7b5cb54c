"""Vehicle identification number (ISO 3779), issued by makers; the check digit is obligatory in North America and China.

Letters (never I, O, Q) stand for digits; the weighted sum by 11 is the ninth character, X meaning 10.
https://www.ecfr.gov/current/title-49/subtitle-B/chapter-V/part-565

>>> from piiscan.rules.checks import is_valid
>>> is_valid("vin", "1M8GDM9AXKP042788"), is_valid("vin", "1M8GDM9A0KP042788")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import weighted_sum

LENGTHS = (17,)
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_WORTH = np.full(256, -1, dtype=np.int64)
for _codes, _worth in (
    (b"0123456789", range(10)),
    (b"ABCDEFGH", range(1, 9)),
    (b"JKLMN", range(1, 6)),
    (b"P", (7,)),
    (b"R", (9,)),
    (b"STUVWXYZ", range(2, 10)),
):
    _WORTH[list(_codes)] = list(_worth)


def valid(chars: Chars) -> Mask:
    worth = _WORTH[chars]
    rest = weighted_sum(worth, _WEIGHTS) % 11
    expected = np.where(rest == 10, ord("X"), rest + 48)
    return np.asarray((worth >= 0).all(axis=1) & (chars[:, 8] == expected))
