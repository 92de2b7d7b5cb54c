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
    if chars.shape[1] == 16:
        return np.asarray(all_digits(chars) & (values[:, 0] == 0) & (luhn_sum(values[:, :10]) % 10 == 0))
    return np.asarray(all_digits(chars) & (luhn_sum(values[:, :9]) % 10 == 0))
