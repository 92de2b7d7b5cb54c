"""Norwegian birth number (fødselsnummer), also D and H numbers, issued by Skatteetaten.

Birth date DDMMYY (day 40 higher in D numbers, month 40 higher in H numbers and 80 in those of synthetic persons),
individual number, and two check digits modulo 11: weights 3 7 6 1 8 9 4 5 2 and 5 4 3 2 7 6 5 4 3 2.
https://www.skatteetaten.no/person/folkeregister/identitetsnummer/

>>> from piiscan.rules.checks import is_valid
>>> is_valid("no_fodselsnummer", "151086 95088"), is_valid("no_fodselsnummer", "151086 95077")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, is_date, number, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    day, month, year, individual = (number(v, a, b) for a, b in ((0, 2), (2, 4), (4, 6), (6, 9)))
    century = np.select(
        [individual < 500, (individual < 750) & (year >= 54), year < 40, individual >= 900],
        [1900, 1800, 2000, 1900],
        default=0,
    )
    date = is_date(
        century + year,
        np.select([month > 80, month > 40], [month - 80, month - 40], default=month),
        np.where(day > 40, day - 40, day),
    )
    first = -weighted_sum(v, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11
    second = -weighted_sum(v, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return np.asarray(all_digits(chars) & (century > 0) & date & (first == v[:, 9]) & (second == v[:, 10]))
