"""Brazilian taxpayer number of persons (CPF), issued by the Receita Federal.

Nine digits and two check digits: weights 10 … 2 and 11 … 2, 11 less the sum modulo 11, 0 for 10 and 11. Eleven equal
digits pass the sums but aren't issued.
https://www.gov.br/receitafederal/pt-br/assuntos/meu-cpf

>>> from piiscan.rules.checks import is_valid
>>> is_valid("br_cpf", "390.533.447-05"), is_valid("br_cpf", "390.533.447-06")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, weighted_sum

LENGTHS = (11,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    first = -weighted_sum(v, range(10, 1, -1)) % 11 % 10
    second = -weighted_sum(v, range(11, 1, -1)) % 11 % 10
    varied = (v != v[:, :1]).any(axis=1)
    return np.asarray(all_digits(chars) & varied & (first == v[:, 9]) & (second == v[:, 10]))
