"""Italian VAT number (partita IVA), issued by the Agenzia delle Entrate.

Seven digits, three for the office of issue (001–100, 120, 121, 888 or 999), and Luhn's check digit.
https://www.agenziaentrate.gov.it/portale/web/guest/schede/istanze/aa7_9-richiesta-piva/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("it_partita_iva", "IT 00743110157"), is_valid("it_partita_iva", "IT 00743110158")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum, number

LENGTHS = (11,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    office = number(v, 7, 10)
    known = ((office >= 1) & (office <= 100)) | np.isin(office, (120, 121, 888, 999))
    return np.asarray(all_digits(chars) & known & (number(v, 0, 7) > 0) & (luhn_sum(v) % 10 == 0))
