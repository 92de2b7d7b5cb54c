"""Dutch VAT number (btw-identificatienummer), issued by the Belastingdienst.

NL, nine digits, B and two digits. Since 2020 sole traders' numbers satisfy ISO 7064 MOD 97-10 over all of it, letters
as 10–35; older ones hold an RSIN, which passes the BSN's test.
https://www.belastingdienst.nl/wps/wcm/connect/nl/btw/content/hoe-ziet-een-btw-identificatienummer-eruit

>>> from piiscan.rules.checks import is_valid
>>> is_valid("nl_vat", "NL 123456782B90"), is_valid("nl_vat", "NL 123456783B90")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_alnum
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (12,)


def compact(text: str) -> str:
    return compact_alnum(text).removeprefix("NL")


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    shape = all_digits(np.delete(chars, 9, axis=1)) & (chars[:, 9] == ord("B"))
    rsin = weighted_sum(v, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0
    # The letters N and L count as 23 and 21, B as 11; MOD 97-10 puts them in the number itself.
    whole = (2321 * 10**9 + number(v, 0, 9)) % 97 * 10**4 + 1100 + number(v, 10, 12)
    issued = (number(v, 0, 9) > 0) & (number(v, 10, 12) > 0)
    return np.asarray(shape & issued & (rsin | (whole % 97 == 1)))
