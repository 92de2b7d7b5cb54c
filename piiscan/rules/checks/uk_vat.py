"""UK VAT registration number, issued by HM Revenue & Customs.

Nine digits, weights 8 … 2 and the last two as a number: a multiple of 97; since 2010 numbers from 100 0000 00 on may
leave 42 or 55 instead. A branch adds three digits of its own. https://www.gov.uk/guidance/vat-uk-trader-number-checks

>>> from piiscan.rules.checks import is_valid
>>> is_valid("uk_vat", "GB 980 7806 84"), is_valid("uk_vat", "GB 980 7806 85")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_alnum
from piiscan.rules.checks.arithmetic import all_digits, digits, number, weighted_sum

LENGTHS = (9, 12)


def compact(text: str) -> str:
    return compact_alnum(text).removeprefix("GB").removeprefix("XI")


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    rest = weighted_sum(values, (8, 7, 6, 5, 4, 3, 2, 10, 1)) % 97
    recent = (values[:, 0] > 0) & ((rest == 42) | (rest == 55))
    issued = number(values, 0, 7) > 0
    return np.asarray(all_digits(chars) & issued & ((rest == 0) | recent))
