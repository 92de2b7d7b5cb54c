"""Turkish identification number, issued by the General Directorate of Civil Registration and Nationality.

Eleven digits, the first not 0: seven times the odd places less the even ones gives the tenth, the sum of ten the
eleventh. https://www.nvi.gov.tr

>>> from piiscan.rules.checks import is_valid
>>> is_valid("tr_tckn", "17291716060"), is_valid("tr_tckn", "17291716050")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    tenth = (values[:, 0:9:2].sum(axis=1) * 7 - values[:, 1:8:2].sum(axis=1)) % 10
    last = values[:, :10].sum(axis=1) % 10
    return np.asarray(all_digits(chars) & (values[:, 0] > 0) & (tenth == values[:, 9]) & (last == values[:, 10]))
