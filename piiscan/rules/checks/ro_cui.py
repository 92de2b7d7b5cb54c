"""Romanian company number (CUI, CIF), issued by the Agenția Națională de Administrare Fiscală.

Two to ten digits, RO before them where registered for VAT: weights 7 5 3 2 1 7 5 3 2 aligned to the right, ten times
the sum modulo 11, 0 for 10.
https://mfinante.gov.ro/domenii/informatii-contribuabili/persoane-juridice/info-pj-selectie-dupa-cui

>>> from piiscan.rules.checks import is_valid
>>> is_valid("ro_cui", "RO 185 472 90"), is_valid("ro_cui", "RO 185 472 91")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = tuple(range(2, 11))
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    width = v.shape[1] - 1
    total = weighted_sum(v[:, :width], (7, 5, 3, 2, 1, 7, 5, 3, 2)[9 - width :])
    return np.asarray(all_digits(chars) & (v[:, 0] > 0) & (total * 10 % 11 % 10 == v[:, width]))
