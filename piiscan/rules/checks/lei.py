"""Legal Entity Identifier (ISO 17442), issued by units accredited by the Global LEI Foundation.

Eighteen characters and two check digits that leave 1 by 97 (ISO/IEC 7064, MOD 97-10).
https://www.gleif.org/en/about-lei/iso-17442-the-lei-code-structure

>>> from piiscan.rules.checks import is_valid
>>> is_valid("lei", "213800KUD8LAJWSQ9D15"), is_valid("lei", "213800KUD8LAJWSQ9D16")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, mod_97

LENGTHS = (20,)


def valid(chars: Chars) -> Mask:
    return np.asarray(has_form(chars, "X" * 18 + "99") & (mod_97(digits(chars).T) == 1))
