"""Swiss enterprise number (UID), issued by the Bundesamt für Statistik.

CHE and nine digits. The first eight are weighted 5 4 3 2 7 6 5 4; 11 less the sum modulo 11 is the check digit.
https://www.bfs.admin.ch/bfs/de/home/register/unternehmensregister/unternehmens-identifikationsnummer.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ch_uid", "CHE-100.155.212"), is_valid("ch_uid", "CHE-100.155.213")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (9,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & ((weighted_sum(v, (5, 4, 3, 2, 7, 6, 5, 4)) + v[:, 8]) % 11 == 0))
