"""Indonesian tax number of persons and companies, issued by the Directorate General of Taxes.

Fifteen digits, the first nine pass Luhn; sixteen since 2024, with a 0 before.
https://www.pajak.go.id

>>> from piiscan.rules.checks import is_valid
>>> is_valid("id_npwp", "01.312.166.0-091.000"), is_valid("id_npwp", "01.312.166.1-091.000")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum

LENGTHS = (15, 16)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    own = values[:, -15:-6]
    # Nine zeros pass Luhn too: a count with zeros before it is no number.
    passes = (luhn_sum(own) % 10 == 0) & own.any(axis=1)
    return np.asarray(all_digits(chars) & passes & ((chars.shape[1] == 15) | (values[:, 0] == 0)))
