"""Hungarian tax number (adószám), issued by the Nemzeti Adó- és Vámhivatal.

Eight digits that are the EU VAT number, the eighth a check digit (weights 9 7 3 1 9 7 3 1, sum a multiple of 10); then
a digit for the VAT status and two for the county.
https://nav.gov.hu/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("hu_tax_number", "12892312-1-42"), is_valid("hu_tax_number", "12892313-1-42")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (8, 11)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & (number(v, 0, 8) > 0) & (weighted_sum(v, (9, 7, 3, 1, 9, 7, 3, 1)) % 10 == 0))
