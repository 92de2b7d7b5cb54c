"""Portuguese citizen card number (cartão de cidadão), issued by the Instituto dos Registos e do Notariado.

Civil number (eight digits), check digit, two letters or digits of the version, check digit: as Luhn's over twelve
characters, letters as 10–35.
https://www.autenticacao.gov.pt/documents/20126/115760/Valida%C3%A7%C3%A3o+de+N%C3%BAmero+de+Documento+do+Cart%C3%A3o+de+Cidad%C3%A3o.pdf

>>> from piiscan.rules.checks import is_valid
>>> is_valid("pt_cc", "00000000 0 ZZ4"), is_valid("pt_cc", "00000000 0 ZZ5")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits

LENGTHS = (12,)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    others = all_digits(np.delete(chars, (9, 10), axis=1))
    doubled = v[:, 0::2] * 2
    total = np.where(doubled > 9, doubled - 9, doubled).sum(axis=1) + v[:, 1::2].sum(axis=1)
    return np.asarray(others & (total % 10 == 0))
