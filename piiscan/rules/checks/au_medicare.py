"""Australian Medicare card number, issued by Services Australia.

Eight digits, the first 2 to 6, a check digit (weights 1, 3, 7, 9, 1, 3, 7, 9, by 10), an issue number, at times the
person's line. https://www.servicesaustralia.gov.au/medicare-card

>>> from piiscan.rules.checks import is_valid
>>> is_valid("au_medicare", "2123 45670 1"), is_valid("au_medicare", "2123 45671 1")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (10, 11)


def valid(chars: Chars) -> Mask:
    values = digits(chars)
    first = (values[:, 0] >= 2) & (values[:, 0] <= 6)
    return np.asarray(all_digits(chars) & first & (weighted_sum(values, (1, 3, 7, 9) * 2) % 10 == values[:, 8]))
