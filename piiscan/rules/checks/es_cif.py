"""Spanish tax number of organisations (NIF of legal entities, formerly CIF), issued by the Agencia Tributaria.

A letter for the kind, seven digits, and a check character by Luhn over the digits: the digit itself or its letter out
of JABCDEFGHI.
https://sede.agenciatributaria.gob.es/Sede/censos-nif-domicilio-fiscal/solicitar-nif.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("es_cif", "J99216582"), is_valid("es_cif", "J99216583")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask
from piiscan.rules.checks.arithmetic import all_digits, digits, luhn_sum

LENGTHS = (9,)
_LETTERS = np.frombuffer(b"JABCDEFGHI", dtype=np.uint8)
_KINDS = np.frombuffer(b"ABCDEFGHJNPQRSUVW", dtype=np.uint8)


def valid(chars: Chars) -> Mask:
    v = digits(chars)
    seven = np.column_stack([v[:, 1:8], np.zeros(len(v), dtype=np.int64)])
    check = -luhn_sum(seven) % 10
    last = (v[:, 8] == check) | (_LETTERS[check] == chars[:, 8])
    return np.asarray(np.isin(chars[:, 0], _KINDS) & all_digits(chars[:, 1:8]) & last)
