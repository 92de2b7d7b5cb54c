"""German tax identification number (Steuer-ID), issued by the Bundeszentralamt für Steuern.

Eleven digits, the first not 0, the last by ISO 7064 MOD 11,10. Of the first ten, exactly one digit stands two or three
times and the others at most once.
https://www.bzst.de/DE/Privatpersonen/SteuerlicheIdentifikationsnummer/steuerlicheidentifikationsnummer_node.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("de_tax_id", "86 095 742 719"), is_valid("de_tax_id", "86 095 742 718")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, mod_11_10

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    ok = np.asarray(all_digits(chars) & (v[:, 0] != 0) & mod_11_10(v))
    counts = (v[ok, :10, None] == np.arange(10)).sum(axis=1)
    ok[ok] = ((counts > 1).sum(axis=1) == 1) & (counts.max(axis=1, initial=0) <= 3)
    return ok
