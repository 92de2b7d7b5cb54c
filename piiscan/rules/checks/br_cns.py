"""Brazilian health card number (Cartão Nacional de Saúde, CNS), issued by DATASUS.

Fifteen digits that begin with 1 or 2 (definite) or 7, 8 or 9 (provisional), weights 15 … 1, a multiple of 11.
https://integracao.esusab.ufsc.br/ledi/documentacao/regras/algoritmo_CNS.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("br_cns", "700 0000 0000 0005"), is_valid("br_cns", "700 0000 0000 0006")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (15,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    return np.asarray(
        all_digits(chars) & np.isin(v[:, 0], (1, 2, 7, 8, 9)) & (weighted_sum(v, range(15, 0, -1)) % 11 == 0)
    )
