"""Russian state registration number of organisations (ОГРН) and entrepreneurs (ОГРНИП).

Issued by the Federal Tax Service.

Thirteen digits: the first twelve modulo 11, modulo 10. Fifteen that begin with 3 or 4: the first fourteen modulo 13,
modulo 10.
https://www.nalog.gov.ru/rn77/related_activities/registries/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ru_ogrn", "1022200525819"), is_valid("ru_ogrn", "1022200525818")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, number

LENGTHS = (13, 15)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = v.shape[1]
    check = number(v, 0, width - 1) % (11 if width == 13 else 13) % 10
    first = (v[:, 0] > 0) if width == 13 else (v[:, 0] == 3) | (v[:, 0] == 4)
    return np.asarray(all_digits(chars) & first & (check == v[:, width - 1]))
