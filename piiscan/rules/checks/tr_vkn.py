"""Turkish tax number of companies and foreigners, issued by the Revenue Administration.

Ten digits: each of the first nine is moved by its place, multiplied by a power of two by 9, and all are summed.
https://www.gib.gov.tr

>>> from piiscan.rules.checks import is_valid
>>> is_valid("tr_vkn", "4540536920"), is_valid("tr_vkn", "4540536921")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits

LENGTHS = (10,)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    moved = (values[:, :9] + np.arange(9, 0, -1)) % 10
    product = moved * 2 ** np.arange(9, 0, -1) % 9
    product = np.where((product == 0) & (moved > 0), 9, product)
    return np.asarray(all_digits(chars) & (-product.sum(axis=1) % 10 == values[:, 9]))
