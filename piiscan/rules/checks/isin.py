"""International Securities Identification Number (ISO 6166), issued by national numbering agencies.

Country code, nine characters, Luhn check digit over the digits that the letters stand for.
https://www.anna-web.org/identifiers/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("isin", "US0378331005"), is_valid("isin", "US0378331006")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, expanded_luhn_sum, has_form

LENGTHS = (12,)


def valid(chars: Chars) -> Mask:
    return np.asarray(has_form(chars, "AA" + "X" * 9 + "9") & (expanded_luhn_sum(digits(chars)) % 10 == 0))
