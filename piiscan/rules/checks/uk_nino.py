"""UK National Insurance number, issued by HM Revenue & Customs.

No check digit: the first letter is never D, F, I, Q, U or V, the second none of these nor O, the prefixes BG, GB, KN,
NK, NT, TN and ZZ aren't given out, and the suffix is A to D.
https://www.gov.uk/hmrc-internal-manuals/national-insurance-manual/nim39110

>>> from piiscan.rules.checks import is_valid
>>> is_valid("uk_nino", "AB123456C"), is_valid("uk_nino", "QQ123456C"), is_valid("uk_nino", "AB123456E")
(True, False, False)
"""

from __future__ import annotations

from typing import Final

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import has_form

LENGTHS = (9,)
_NEVER: Final = list(b"DFIQUV")
_PREFIXES: Final = [first * 256 + second for first, second in (b"BG", b"GB", b"KN", b"NK", b"NT", b"TN", b"ZZ")]


def valid(chars: Chars) -> Mask:
    first, second, suffix = chars[:, 0], chars[:, 1], chars[:, 8]
    given_out = ~np.isin(first, _NEVER) & ~np.isin(second, [*_NEVER, ord("O")])
    prefix = first.astype(np.int64) * 256 + second
    return np.asarray(has_form(chars, "AA999999A") & given_out & ~np.isin(prefix, _PREFIXES) & (suffix <= ord("D")))
