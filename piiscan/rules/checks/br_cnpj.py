"""Brazilian company number (CNPJ), issued by the Receita Federal.

Since July 2026 its first twelve characters may be letters.

Twelve characters (ASCII code less 48) and two check digits: weights 5 4 3 2 9 8 7 6 5 4 3 2 and 6 5 4 3 2 9 8 7 6 5 4
3 2, 11 less the sum modulo 11, 0 for 10 and 11.
https://www.gov.br/receitafederal/pt-br/acesso-a-informacao/acoes-e-programas/programas-e-atividades/cnpj-alfanumerico

>>> from piiscan.rules.checks import is_valid
>>> is_valid("br_cnpj", "12.ABC.345/01DE-35"), is_valid("br_cnpj", "12.ABC.345/01DE-36")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (14,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    values = chars.astype(np.int64) - 48
    alnum = ((v >= 0) & (v <= 35)).all(axis=1) & all_digits(chars[:, 12:])
    first = -weighted_sum(values, (5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) % 11 % 10
    second = -weighted_sum(values, (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) % 11 % 10
    issued = (values[:, :12] != 0).any(axis=1)
    return np.asarray(alnum & issued & (first == v[:, 12]) & (second == v[:, 13]))
