"""German driving licence number, issued by the licensing authorities (FeV, annex 8).

Authority (a letter and three digits or letters), five letters or digits, a check digit, the number of the copy. The
first nine characters, letters as 10–35, are weighted 9 … 1; the sum modulo 11 is the check digit, X for 10.
https://de.wikipedia.org/wiki/F%C3%BChrerscheinnummer

>>> from piiscan.rules.checks import is_valid
>>> is_valid("de_driver_license", "B072RRE2I55"), is_valid("de_driver_license", "B072RRE2I65")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    ten = chars[:, 9] == ord("X")
    check = np.where(ten, 10, v[:, 9])
    known = all_digits(chars[:, 9:10]) | ten
    return np.asarray(known & (weighted_sum(v, range(9, 0, -1)) % 11 == check))
