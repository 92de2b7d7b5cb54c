"""Austrian VAT number (Umsatzsteuer-Identifikationsnummer), issued by the Finanzämter.

U and eight digits: Luhn over the first seven, the last of them not doubled, plus 4 and the last digit, a multiple of
10. https://www.bmf.gv.at/themen/steuern/fuer-unternehmen/umsatzsteuer/uid-und-zusammenfassende-meldung.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("at_uid", "ATU13585627"), is_valid("at_uid", "ATU13585626")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum

LENGTHS = (8,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(all_digits(chars) & ((luhn_sum(v[:, :7]) + v[:, 7] + 4) % 10 == 0))
