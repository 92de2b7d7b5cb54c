"""Brazilian voter number (título de eleitor), issued by the Tribunal Superior Eleitoral.

Eight digits, state (01–28), two check digits: weights 2 … 9 over the number and 7 8 9 over state and first check digit,
sums modulo 11, 0 for 10; in São Paulo and Minas Gerais a remainder of 0 gives 1.
https://www.tse.jus.br/eleitor/titulo-eleitoral

>>> from piiscan.rules.checks import is_valid
>>> is_valid("br_titulo_eleitor", "0000 0001 0396"), is_valid("br_titulo_eleitor", "0000 0001 0397")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import Ints, all_digits, digits, number, weighted_sum

LENGTHS = (12,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    state = number(v, 8, 10)
    large = (state == 1) | (state == 2)

    def check(total: Ints) -> Ints:
        rest = total % 11
        return np.asarray(np.where(large & (rest == 0), 1, rest % 10))

    first = check(weighted_sum(v, range(2, 10)))
    second = check(weighted_sum(np.column_stack([v[:, 8:10], first]), (7, 8, 9)))
    return np.asarray(
        all_digits(chars)
        & (state >= 1)
        & (state <= 28)
        & (v[:, :8].sum(axis=1) > 0)
        & (first == v[:, 10])
        & (second == v[:, 11])
    )
