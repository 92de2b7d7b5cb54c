"""Polish tax number (NIP), issued by the Krajowa Administracja Skarbowa.

Ten digits, weights 6 5 7 2 3 4 5 6 7; the sum modulo 11 is the check digit, 10 isn't issued.
https://www.podatki.gov.pl/nip/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pl_nip", "PL 856-734-62-15"), is_valid("pl_nip", "PL 856-734-62-16")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_digits
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (10,)
compact = compact_digits


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & (number(v, 0, 3) > 0) & (weighted_sum(v, (6, 5, 7, 2, 3, 4, 5, 6, 7)) % 11 == v[:, 9])
    )
