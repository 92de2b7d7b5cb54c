"""Ghanaian taxpayer identification number, issued by the Ghana Revenue Authority.

A letter for the kind, 00, seven digits and a check character: weights 1 … 9 by 11, X meaning 10.
https://gra.gov.gh/tin/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("gh_tin", "C0000803561"), is_valid("gh_tin", "C0000803562")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import digits, has_form, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    rest = weighted_sum(digits(chars)[:, 1:], range(1, 10)) % 11
    expected = np.where(rest == 10, ord("X"), rest + 48)
    kind = np.isin(chars[:, 0], list(b"CGPQV")) & (chars[:, 1] == ord("0")) & (chars[:, 2] == ord("0"))
    return np.asarray(has_form(chars, "A999999999X") & kind & (chars[:, 10] == expected))
