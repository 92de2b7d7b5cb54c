"""International bank account number, issued by banks; registry kept by SWIFT for ISO 13616-1.

Country code, two check digits and the national number: moved to the end, the first four characters leave 1 by 97
(ISO/IEC 7064, MOD 97-10). The rule's pattern has the lengths per country.
https://www.swift.com/standards/data-standards/iban-international-bank-account-number

>>> from piiscan.rules.checks import is_valid
>>> is_valid("iban", "GB29 NWBK 6016 1331 9268 19"), is_valid("iban", "GB28 NWBK 6016 1331 9268 19")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import has_form, mod_97, number, short_digits

LENGTHS = tuple(range(15, 35))


def valid(chars: Chars) -> Mask:
    values = short_digits(chars)
    printed = number(values, 2, 4)
    # 00, 01 and 99 would leave the same remainders as 97, 98 and 02, which the standard prescribes.
    ok = has_form(chars, "AA99" + "X" * (chars.shape[1] - 4)) & (printed >= 2) & (printed <= 98)
    return np.asarray(ok & (mod_97([*values.T[4:], *values.T[:4]]) == 1))
